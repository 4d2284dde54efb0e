import { resolve } from 'node:path';

/** The programs of the platform as `npm start` and `npx hatif` run them. `npm test` builds them before the tests. */
export const PLATFORM = resolve('dist/main.js');
export const COMMAND = resolve('dist/main/command.js');

/** A program of the tests. @param name its file in `test/support/workers`, without the extension */
export function workerProgram(name: string): string {
  return resolve(`.hatif-tests/test/support/workers/${name}.js`);
}
