#!/usr/bin/env node
/**
 * `npm run test:engines [-- mocha options]`: runs the conformance suite on every available engine and prints a table of
 * scenarios and engines. Unavailable engines are listed with the reason; `-` marks a scenario that an engine does not
 * have.
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
