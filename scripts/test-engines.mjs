#!/usr/bin/env node
/**
 * `npm run test:engines [-- mocha options]`: the conformance suite on every engine that can be reached here, and a table scenario × engine. An
 * engine that cannot be reached is left out with the reason; a scenario that only one engine has is marked `-` for the others.
 */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { main } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');

await main(async () => {
  await ensureDependencies();
  const { runTests } = await import('./lib/test-run.mjs');
  const { engineTable } = await import('./lib/engine-table.mjs');
  const args = ['conformance', ...process.argv.slice(2)];
  process.exit(await runTests(args, (tests) => console.log(`\n${engineTable(tests)}`)));
});
