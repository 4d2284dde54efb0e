import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { hasCode } from '../../../core/model/error-code.js';

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeoutMs?: number;
  /** Receives each line written to file descriptor 3. */
  readonly onStatusLine?: (line: string) => void;
}

export interface RunResult {
  /** The exit code; -1 if a signal ended the process. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and returns its output and exit code. Rejects only if it cannot be spawned. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', options.onStatusLine ? 'pipe' : 'ignore'],
      ...(options.env && { env: options.env }),
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      ...(options.uid !== undefined && { uid: options.uid }),
      ...(options.gid !== undefined && { gid: options.gid }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    }
    const { onStatusLine } = options;
    const status = child.stdio[3];
    if (onStatusLine && status && 'setEncoding' in status) {
      let rest = '';
      status.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onStatusLine(line);
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, ...output }));
  });
}

/** Whether an error of `spawn` means that the program does not exist. */
export function isMissingProgram(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

export interface DetachedOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts a program in its own session with its output in a file, so that it outlives this process. Resolves with its
 * pid when it was spawned; `exited` resolves when it ends while this process is still running.
 */
export async function spawnDetached(
  command: string,
  args: readonly string[],
  options: DetachedOptions,
): Promise<{ pid: number; exited: Promise<number> }> {
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env,
      cwd: options.cwd,
      ...(options.uid !== undefined && { uid: options.uid }),
      ...(options.gid !== undefined && { gid: options.gid }),
    });
    const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? -1)));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    if (child.pid === undefined) throw new Error(`${command} has no pid`);
    return { pid: child.pid, exited };
  } finally {
    closeSync(log);
  }
}
