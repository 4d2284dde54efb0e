#!/usr/bin/env node
/** `npm run bench [-- <part>…]`: sets up what the measurements need, builds the platform, runs bench/main.ts. */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { main, run } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');
const { build } = await import('./lib/build.mjs');

await main(async () => {
  await ensureDependencies();
  await build();
  // bench/main.ts stops what it started; this script only waits for it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const { code } = await run(process.execPath, ['--import', 'tsx', 'bench/main.ts', ...process.argv.slice(2)]);
  process.exit(code ?? 130);
});
