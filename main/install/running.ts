import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processIdentity, type ProcessRef } from '../../adapters/embedded/system/process.js';
import type { Settings } from '../../config/settings.js';
import type { Commands } from '../../core/model/commands.js';
import { hasCode } from '../../core/model/error-code.js';

/** How soon a process that waits for the data folder notices that the other one has ended. */
const LOOK_EVERY_MS = 500;

/** How often a claim is tried while others leave files behind. */
const TRIES = 5;

/** The process of Hatif that runs with a data folder. */
export interface Running {
  readonly process: ProcessRef;
  /** Where its API listens. */
  readonly address: string;
}

/** Another process of Hatif runs with the data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** The other process of Hatif that runs with this data folder; null if none does. */
export function runningElsewhere(dataDir: string): Running | null {
  try {
    const found = JSON.parse(readFileSync(runningFile(dataDir), 'utf8')) as Running;
    return found.process.pid !== process.pid && isAlive(found.process) ? found : null;
  } catch {
    return null;
  }
}

/**
 * Refuses a start that would change the embedded parts below a running process.
 * @throws FolderInUse naming that process, its address, how to stop it and how to replace it
 */
export function refuseSecondStart(settings: Settings, commands: Commands): void {
  const isEmbedded =
    settings.DATABASE_URL === undefined ||
    settings.REDIS_URL === undefined ||
    (settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL === undefined);
  if (!isEmbedded || settings.HATIF_REPLACE) return;
  const found = runningElsewhere(settings.HATIF_DATA_DIR);
  if (found === null) return;
  const { pid } = found.process;
  const { PORT: port } = settings;
  const isSamePort = new URL(found.address).port === String(port);
  const other = isSamePort ? [`PORT=${Math.min(port + 1, 65_535)}`] : [];
  throw new FolderInUse(
    [
      `Hatif already runs with this data folder: process ${pid}, ${found.address}. This start has changed nothing.`,
      `  Stop it:                            kill ${pid} (or Ctrl-C in its terminal)`,
      `  Start a second installation:        in another clone, on other ports`,
      `  Replace it while calls are live:    ${commands.start('HATIF_REPLACE=true', ...other)} (other settings as those of the process: docs/how-to/upgrade.md)`,
      `The data folder is ${settings.HATIF_DATA_DIR}.`,
    ].join('\n'),
  );
}

/**
 * The right to write the files of the data folder that name the running process: `hatif.pid` and `bootstrap.json`. One
 * process has it at a time; a process that is killed does not keep it.
 */
export class FolderClaim {
  #isOwn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly dataDir: string) {}

  /** Claims the folder unless another process has it. @returns whether this process has it now */
  take(address: string): boolean {
    const own: Running = { process: { pid: process.pid, identity: processIdentity(process.pid) ?? '' }, address };
    const file = runningFile(this.dataDir);
    const part = `${file}.${process.pid}`;
    writeFileSync(part, `${JSON.stringify(own)}\n`);
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        // What this process wrote itself, and what a dead one left, is replaced.
        if (runningElsewhere(this.dataDir) === null) rmSync(file, { force: true });
        this.#isOwn = linked(part, file);
        if (this.#isOwn || runningElsewhere(this.dataDir) !== null) break;
      }
      return this.#isOwn;
    } finally {
      rmSync(part, { force: true });
    }
  }

  /**
   * Writes `hatif.pid` and calls `publish` as soon as this process has the folder: at once, or when the other process
   * has ended. @param onError receives what fails later
   */
  async whenTaken(address: string, publish: () => Promise<void>, onError: (error: unknown) => void): Promise<void> {
    const tryIt = async (): Promise<boolean> => {
      if (!this.take(address)) return false;
      clearInterval(this.#timer);
      writeFileSync(pidFile(this.dataDir), `${process.pid}\n`);
      await publish();
      return true;
    };
    if (await tryIt()) return;
    this.#timer = setInterval(() => {
      if (runningElsewhere(this.dataDir) === null) tryIt().catch(onError);
    }, LOOK_EVERY_MS).unref();
  }

  /** Removes what names this process; files of another process stay. */
  release(): void {
    clearInterval(this.#timer);
    if (!this.#isOwn) return;
    rmSync(pidFile(this.dataDir), { force: true });
    rmSync(runningFile(this.dataDir), { force: true });
    this.#isOwn = false;
  }
}

/** @returns false if the file exists */
function linked(part: string, file: string): boolean {
  try {
    linkSync(part, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** For scripts that send signals. */
function pidFile(dataDir: string): string {
  return join(dataDir, 'hatif.pid');
}

function runningFile(dataDir: string): string {
  return join(dataDir, 'running.json');
}
