import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bootstrap } from '../../main/install/bootstrap.js';

const READY = 'Hatif is ready';
const START_LIMIT_MS = 60_000;

/** The application as users run it, in a separate process that tests kill and start again. */
export class Application {
  #child: ChildProcess | null = null;
  #output = '';
  #killed = false;
  /** Unexpected exits. */
  readonly faults: string[] = [];

  /** @param program the arguments of node: the sources or a build */
  constructor(
    private readonly settings: Readonly<Record<string, string>>,
    private readonly program: readonly string[],
  ) {
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Starts it; resolves when it reports that it is ready, or when it was killed before. */
  async start(): Promise<void> {
    const { PATH, HOME, LANG } = process.env;
    const cache = process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
    this.#output = '';
    this.#killed = false;
    const child = spawn(process.execPath, this.program, {
      env: { PATH, HOME, LANG, HATIF_CACHE_DIR: cache, ...this.settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    await new Promise<void>((done, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`the application is not ready in time:\n${this.#output}`)),
        START_LIMIT_MS,
      );
      const settle = (): void => {
        clearTimeout(limit);
        done();
      };
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          this.#output += text;
          if (this.#output.includes(READY)) settle();
        });
      }
      child.once('exit', (code, signal) => {
        if (!this.#killed) this.faults.push(`it ended with ${String(code ?? signal)}:\n${this.#output}`);
        settle();
      });
    });
  }

  /** Kills it at once (SIGKILL). */
  kill(): void {
    this.#killed = true;
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when the process has exited. */
  async exited(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    await new Promise((done) => child.once('exit', done));
  }

  /** The id of the last process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null && !this.#killed;
  }

  bootstrap(): Bootstrap {
    return JSON.parse(readFileSync(join(this.settings.HATIF_DATA_DIR ?? '', 'bootstrap.json'), 'utf8')) as Bootstrap;
  }

  /** The last lines of its log that contain the id. */
  logOf(id: string, lines = 40): string[] {
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(id))
      .slice(-lines);
  }

  copyLog(to: string): void {
    copyFileSync(this.#log, to);
  }

  get #log(): string {
    return join(this.settings.HATIF_DATA_DIR ?? '', 'logs/hatif.log');
  }
}
