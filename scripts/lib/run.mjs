import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What went wrong, in words for the person at the terminal; no stack is shown. */
export class Trouble extends Error {}

/**
 * Run a program in the project's folder with its output on this terminal.
 * @returns the exit code; 128 + n after a signal would hide which, so the signal's name comes beside it.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.once('error', (error) => reject(new Trouble(`${command} could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Say at intervals that something long is still going on; returns how to stop saying it. */
export function stillWorking(what, everySeconds = 15) {
  const began = Date.now();
  const timer = setInterval(
    () => console.log(`  … ${what}, ${Math.round((Date.now() - began) / 1000)} s`),
    everySeconds * 1000,
  );
  timer.unref();
  return () => clearInterval(timer);
}

/** Run a script's main function: a {@link Trouble} is told in its own words, anything else with its stack. */
export async function main(script) {
  try {
    await script();
  } catch (error) {
    console.error(error instanceof Trouble ? `\n${error.message}` : error);
    process.exit(1);
  }
}
