import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** A program and how it is started; it gets its text by standard input, never by a shell. */
export interface Program {
  readonly command: string;
  /** What comes before our own arguments. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

export interface RunLimits {
  readonly input: string | Uint8Array;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** 1 to 19: how far it gives way to everything else on the machine. */
  readonly niceness?: number;
}

/** @returns what it wrote to standard output. @throws Error when it fails, takes too long or writes too much. */
export function runProgram(program: Program, args: readonly string[], limits: RunLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, [...program.args, ...args], {
      env: program.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (limits.niceness !== undefined && child.pid !== undefined) giveWay(child.pid, limits.niceness);
    const chunks: Buffer[] = [];
    let [bytes, complaint] = [0, ''];
    const giveUp = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${program.command}: ${why}`));
    };
    const timer = setTimeout(() => giveUp(`not done in ${limits.timeoutMs} ms`), limits.timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) giveUp(`wrote more than ${limits.maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-500);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`${program.command} ended with ${code ?? 'a signal'}: ${complaint.trim()}`));
    });
    // It may end before it read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(limits.input);
  });
}

function giveWay(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already.
  }
}
