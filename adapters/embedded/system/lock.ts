import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissingProgram } from './run.js';
import { EmbeddedError } from './types.js';

/**
 * Runs `work` while holding an exclusive lock that other processes on this machine respect. The kernel holds it
 * through a child that ends with us, so it is never left behind by a killed process. `onWait` is called once when
 * another one has it.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  // Detached: an interrupt typed in the terminal must not release the lock while we still work.
  const child = spawn('flock', ['--exclusive', file, 'cat'], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const waiting = onWait && setTimeout(onWait, 500);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', (error) => reject(isMissingProgram(error) ? notInstalled(error) : error));
      child.once('close', (code) => reject(new Error(`flock ended with code ${code ?? 'none'}`)));
      // `cat` echoes only once it runs, and it runs only with the lock.
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
