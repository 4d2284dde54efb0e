#!/usr/bin/env node
/** `npm run chaos -- --seed N --calls N`: builds the platform and runs test/chaos/main.ts; exit code 1 when something was lost. */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { main, run } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');
const { build } = await import('./lib/build.mjs');

await main(async () => {
  await ensureDependencies();
  await build();
  // test/chaos/main.ts stops what it started; this script only waits for it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const { code } = await run(process.execPath, ['--import', 'tsx', 'test/chaos/main.ts', ...process.argv.slice(2)]);
  process.exit(code ?? 130);
});
