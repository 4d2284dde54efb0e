import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bootstrap } from '../../../main/install/bootstrap.js';
import { freeSipPort } from '../phones/index.js';
import { Waiting } from '../waiting.js';
import { basicEnvironment, PLATFORM, runHatif } from './programs.js';

const READY = 'Hatif is ready';
const READY_WITHIN_MS = 60_000;

/** The environment variables of a process. */
export type ProcessSettings = Readonly<Record<string, string>>;

/** The platform as operators run it: a separate process, which tests kill, stop and start again. */
export class PlatformProcess {
  /** Resolves with the exit code when the process has ended; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  #output = '';
  readonly #waiting = new Waiting();

  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#waiting.changed();
      });
    }
    this.exited = new Promise((done) => {
      child.once('close', (code) => {
        done(code);
        this.#waiting.changed();
      });
    });
  }

  /** @param settings its whole environment, except for variables that every program needs */
  static start(settings: ProcessSettings): PlatformProcess {
    const child = spawn(process.execPath, [PLATFORM], {
      env: { ...basicEnvironment(), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return new PlatformProcess(child, settings.HATIF_DATA_DIR ?? '');
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Its output so far. */
  get output(): string {
    return this.#output;
  }

  /**
   * Resolves when the process reports that it is ready. @returns the content of `bootstrap.json`, with the address of
   * this process: the file names that of the process that has the data folder
   */
  async ready(): Promise<Bootstrap> {
    await this.says(READY, READY_WITHIN_MS);
    const bootstrap = JSON.parse(readFileSync(join(this.dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
    const [, own = bootstrap.base_url] = /Hatif is ready: (\S+)/.exec(this.#output) ?? [];
    return { ...bootstrap, base_url: own };
  }

  /** Resolves when the output contains these words; rejects if the process ends before, or after `limitMs`. */
  async says(words: string, limitMs = 20_000): Promise<void> {
    const failure = (why: string): string => `${why} without saying "${words}":\n${this.#output}`;
    const isSaid = (): boolean => {
      if (this.#output.includes(words)) return true;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(failure('it ended'));
      return false;
    };
    await this.#waiting.until(isSaid, () => failure(`${limitMs} ms passed`), limitMs);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Runs the `hatif` command as a process; it must succeed. @returns its output */
export function hatif(settings: ProcessSettings, ...args: string[]): Promise<string> {
  return runHatif(settings, args);
}

/** Settings of a platform that starts its own parts, on its own ports, and does not wait for calls when it stops. */
export async function embeddedSettings(dataDir: string): Promise<ProcessSettings> {
  const from = 40_000 + 500 * randomInt(0, 40);
  return {
    HATIF_DATA_DIR: dataDir,
    PORT: '0',
    SIP_PORT: String(await freeSipPort()),
    // Above the ports of phones and of the Asterisk that test files share.
    RTP_PORT_FROM: String(from),
    RTP_PORT_TO: String(from + 498),
    DRAIN_SECONDS: '0',
  };
}

/** Kills all processes that run in the folder, and removes the folder. */
export async function clearAway(folder: string): Promise<void> {
  for (const pid of processesOf(folder)) killIfThere(pid);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Kills a process, which may have ended together with another one of its part. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The processes that run in the folder, or with it among their arguments: its parts. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      contains(() => readlinkSync(`/proc/${pid}/cwd`) + readFileSync(`/proc/${pid}/cmdline`, 'latin1'), folder),
    )
    .map(Number);
}

/** False if the process ends before its files are read. */
function contains(look: () => string, words: string): boolean {
  try {
    return look().includes(words);
  } catch {
    return false;
  }
}
