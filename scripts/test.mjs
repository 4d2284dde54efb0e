#!/usr/bin/env node
/**
 * `npm test [-- [--coverage] [fast | long] <suite | part of a path>… [mocha options]]`: sets up what the tests need, runs the suites, those with
 * telephones beside the others, and ends with the slowest files and one line: `N passed, N failed, N skipped`. No test at all is a failure.
 */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { main } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');

await main(async () => {
  await ensureDependencies();
  const { runTests } = await import('./lib/test-run.mjs');
  process.exit(await runTests(process.argv.slice(2)));
});
