import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** A program and how to start it. Input is passed on standard input, never through a shell. */
export interface Program {
  readonly command: string;
  /** Arguments before the caller's. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

export interface RunLimits {
  readonly input: string | Uint8Array;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Ends the program, also one that starts after the signal. */
  readonly signal?: AbortSignal;
  /** 1 to 19: the scheduling priority (nice value). */
  readonly niceness?: number;
}

/** @returns the program's standard output. @throws Error if it fails, times out or exceeds `maxBytes` */
export function runProgram(program: Program, args: readonly string[], limits: RunLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, [...program.args, ...args], {
      env: program.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      ...(limits.signal && { signal: limits.signal }),
    });
    if (limits.niceness !== undefined && child.pid !== undefined) lowerPriority(child.pid, limits.niceness);
    const chunks: Buffer[] = [];
    let [bytes, errorOutput] = [0, ''];
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${program.command}: ${why}`));
    };
    const timer = setTimeout(() => fail(`timed out after ${limits.timeoutMs} ms`), limits.timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) fail(`wrote more than ${limits.maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errorOutput = (errorOutput + chunk.toString('utf8')).slice(-500);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`${program.command} ended with ${code ?? 'a signal'}: ${errorOutput.trim()}`));
    });
    // The program may exit before it has read all input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(limits.input);
  });
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The program has already ended.
  }
}
