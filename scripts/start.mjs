#!/usr/bin/env node
/**
 * `npm start`: everything that a bare clone needs, then the platform itself in this same process, so that a signal
 * reaches it directly.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { checkNode } from './lib/node-version.mjs';

checkNode();
const { ROOT, main } = await import('./lib/run.mjs');
const { ensureDependencies } = await import('./lib/dependencies.mjs');
const { build } = await import('./lib/build.mjs');

await main(async () => {
  await ensureDependencies();
  await build();
  // What the environment says wins over the file.
  if (existsSync(join(ROOT, '.env'))) process.loadEnvFile(join(ROOT, '.env'));
  await import('../dist/main.js');
});
