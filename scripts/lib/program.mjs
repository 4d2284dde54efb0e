import { build } from './build.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { main, run } from './run.mjs';

/** Build the platform, then run a TypeScript program of the project with this script's arguments, and end with its exit code. */
export function runProgram(file) {
  return main(async () => {
    await ensureDependencies();
    await build();
    // The program stops what it started; this script only waits for it.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    const { code } = await run(process.execPath, ['--import', 'tsx', file, ...process.argv.slice(2)]);
    process.exit(code ?? 130);
  });
}
