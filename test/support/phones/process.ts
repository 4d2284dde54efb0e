import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Tool } from './tools.js';

/** Colours, and the running clock of a call. */
const TERMINAL_NOISE = new RegExp(
  `${String.fromCharCode(27)}\\[\\d*;?m|\\r|\\[\\d+:\\d\\d:\\d\\d\\] audio=\\S+ \\(bit/s\\) *`,
  'g',
);
const running = new Set<ToolProcess>();
process.once('exit', () => {
  for (const tool of running) {
    tool.kill('SIGKILL');
    rmSync(tool.folder, { recursive: true, force: true });
  }
});

/** A running tool with its own folder and its output in the file `log` there; it never outlives this process. */
export class ToolProcess {
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;
  private lastLog = '';
  private failure = '';

  constructor(
    readonly folder: string,
    tool: Tool,
    args: readonly string[],
  ) {
    const log = openSync(path.join(folder, 'log'), 'w');
    this.child = spawn(tool.command, [...tool.args, ...args], {
      cwd: folder,
      env: { ...process.env, ...tool.env, TERM: 'dumb' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running.add(this);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code) => this.ended(code, resolve));
      this.child.once('error', (error) => {
        this.failure = error.message;
        this.ended(null, resolve);
      });
    });
  }

  static folder(prefix: string): string {
    return mkdtempSync(path.join(os.tmpdir(), `hatif-${prefix}-`));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get alive(): boolean {
    return running.has(this);
  }

  kill(signal: NodeJS.Signals): void {
    if (this.alive) this.child.kill(signal);
  }

  /** Sends the signal, and SIGKILL after `patienceMs`. Removes the folder; the log remains readable. */
  async stop(signal: NodeJS.Signals, patienceMs: number): Promise<void> {
    this.kill(signal);
    const timer = setTimeout(() => this.kill('SIGKILL'), patienceMs);
    await this.exited;
    clearTimeout(timer);
    this.lastLog = this.log();
    rmSync(this.folder, { recursive: true, force: true });
  }

  log(): string {
    if (this.lastLog !== '') return this.lastLog;
    try {
      const log = readFileSync(path.join(this.folder, 'log'), 'utf8');
      return log.replace(TERMINAL_NOISE, '') + this.failure;
    } catch {
      return this.failure;
    }
  }

  tail(lines = 25): string {
    return this.log().split('\n').slice(-lines).join('\n');
  }

  private ended(code: number | null, resolve: (code: number | null) => void): void {
    running.delete(this);
    resolve(code);
  }
}
