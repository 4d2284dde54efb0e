import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** An error with a message for the person at the terminal; shown without a stack. */
export class Trouble extends Error {}

/**
 * Runs a program in the project's folder with its output on this terminal.
 * @returns `{ code, signal }`: after a signal, the code is null and `signal` is its name
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.once('error', (error) => reject(new Trouble(`${command} could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Logs at intervals that a long task is still running. @returns a function that stops the logging */
export function stillWorking(what, everySeconds = 15) {
  const began = Date.now();
  const timer = setInterval(
    () => console.log(`  … ${what}, ${Math.round((Date.now() - began) / 1000)} s`),
    everySeconds * 1000,
  );
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Runs a script's main function. Prints a {@link Trouble} as its message, any other error with its stack; exit code 1.
 */
export async function main(script) {
  try {
    await script();
  } catch (error) {
    console.error(error instanceof Trouble ? `\n${error.message}` : error);
    process.exit(1);
  }
}
