#!/usr/bin/env node
/**
 * `npm start`: prepares a fresh clone (dependencies, build), then runs the platform in this process, so that signals
 * reach it directly.
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
  // Environment variables take precedence over the file.
  if (existsSync(join(ROOT, '.env'))) process.loadEnvFile(join(ROOT, '.env'));
  // Errors in the log name the source, not the file that the build made of many.
  process.setSourceMapsEnabled(true);
  await import('../dist/programs/main.js');
});
