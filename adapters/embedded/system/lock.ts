import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissingProgram } from './run.js';
import { EmbeddedError } from './types.js';

/**
 * Runs `work` while holding an exclusive lock between the processes of this machine. The kernel holds the lock through
 * a child process that ends with this one, so a killed process never leaves it behind. `onWait` is called once if
 * another process holds the lock.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  // Detached, so that Ctrl-C in the terminal does not release the lock while `work` is still running.
  const child = spawn('flock', ['--exclusive', file, 'cat'], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const waiting = onWait && setTimeout(onWait, 500);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', (error) => reject(isMissingProgram(error) ? notInstalled(error) : error));
      child.once('close', (code) => reject(new Error(`flock ended with code ${code ?? 'none'}`)));
      // `cat` runs only once flock has the lock, so its echo confirms the lock.
      child.stdout.once('data', () => resolve());
      child.stdin.on('error', () => undefined);
      child.stdin.write('\n');
    });
    clearTimeout(waiting);
    return await work();
  } finally {
    clearTimeout(waiting);
    child.stdin.end();
    if (child.pid !== undefined) await closed;
  }
}

function notInstalled(cause: unknown): EmbeddedError {
  return new EmbeddedError('lock', '"flock" (util-linux) is not installed', { cause });
}
