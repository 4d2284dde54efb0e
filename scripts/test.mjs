#!/usr/bin/env node
/**
 * `npm test [-- [--coverage] [fast | long] <suite | part of a path>… [mocha options]]`: installs the dependencies, runs
 * the suites (the one with phones in parallel with the others), and prints the slowest files and a last line:
 * `N passed, N failed, N skipped`. A run without any test fails.
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
