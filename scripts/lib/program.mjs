import { build } from './build.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { main, run } from './run.mjs';

/**
 * Builds the platform, runs a TypeScript program with this script's arguments, and exits with the program's exit code.
 */
export function runProgram(file) {
  return main(async () => {
    await ensureDependencies();
    await build();
    // The program handles these signals and stops everything that it started; this script only waits for it.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    const { code } = await run(process.execPath, ['--import', 'tsx', file, ...process.argv.slice(2)]);
    process.exit(code ?? 130);
  });
}
