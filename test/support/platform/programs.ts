import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

/** The programs of the platform as `npm start` and `npx hatif` run them. `npm test` builds them before the tests. */
export const PLATFORM = resolve('dist/programs/main.js');
export const COMMAND = resolve('dist/programs/command.js');

/** A program of the tests. @param name its file in `test/support/workers`, without the extension */
export function workerProgram(name: string): string {
  return resolve(`.hatif-tests/test/support/workers/${name}.js`);
}

/** The variables that every program needs: the rest of its environment is its settings. */
export function basicEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, HOME, LANG, HATIF_CACHE_DIR = resolve('.hatif-cache') } = process.env;
  return { PATH, HOME, LANG, HATIF_CACHE_DIR };
}

/**
 * Runs the `hatif` command as a process; it must succeed.
 * @param input the answer to a prompt for a password
 * @returns its output
 */
export async function runHatif(
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { ...basicEnvironment(), ...settings } });
  child.stdin.end(input);
  const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(child.exitCode, `hatif ${args.join(' ')}: ${complaint}`).to.equal(0);
  return said;
}
