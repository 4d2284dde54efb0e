import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bootstrap } from '../../main/bootstrap.js';

const READY = 'Hatif is ready';
const READY_WITHIN_MS = 60_000;

/** The platform as people run it: a process of its own, that is killed, asked to stop, and started again. */
export class PlatformProcess {
  /** Resolves with the exit code when it is over; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  #output = '';
  readonly #waiting = new Set<() => void>();

  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#look();
      });
    }
    this.exited = new Promise((done) => {
      child.once('close', (code) => {
        done(code);
        this.#look();
      });
    });
  }

  /** @param settings all that it is told; nothing of this process's environment but what programs need. */
  static start(settings: Readonly<Record<string, string>>): PlatformProcess {
    const { PATH, HOME, LANG } = process.env;
    const cache = process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
    const child = spawn(process.execPath, ['--import', 'tsx', 'main.ts'], {
      env: { PATH, HOME, LANG, HATIF_CACHE_DIR: cache, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    return new PlatformProcess(child, settings.HATIF_DATA_DIR ?? '');
  }

  /** What it has said so far. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when it says that it is ready. @returns what it wrote down for newcomers */
  async ready(): Promise<Bootstrap> {
    await this.says(READY, READY_WITHIN_MS);
    return JSON.parse(readFileSync(join(this.dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
  }

  /** Resolves when it has said these words; rejects when it ends before, or after `limitMs`. */
  says(words: string, limitMs = 10_000): Promise<void> {
    return new Promise((done, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        settle();
      };
      const fail = (why: string): void =>
        finish(() => reject(new Error(`${why} without saying "${words}":\n${this.#output}`)));
      const timer = setTimeout(() => fail(`${limitMs} ms passed`), limitMs);
      const look = (): void => {
        if (this.#output.includes(words)) finish(done);
        else if (this.child.exitCode !== null || this.child.signalCode !== null) fail('it ended');
      };
      this.#waiting.add(look);
      look();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** The processes that run in the folder, or with it among their arguments: its parts. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      told(() => readlinkSync(`/proc/${pid}/cwd`) + readFileSync(`/proc/${pid}/cmdline`, 'latin1'), folder),
    )
    .map(Number);
}

/** A part's own helpers go with it. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A process may be gone before it is looked at. */
function told(look: () => string, words: string): boolean {
  try {
    return look().includes(words);
  } catch {
    return false;
  }
}
