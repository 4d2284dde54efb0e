#!/usr/bin/env node
/** `npx hatif …`: the command line of the built platform. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { checkNode } from './lib/node-version.mjs';
import { ROOT } from './lib/run.mjs';

checkNode();
if (!existsSync(join(ROOT, 'dist/programs/command.js'))) {
  console.error('Hatif is not built yet. The first start builds it: npm start');
  process.exit(3);
}
if (existsSync(join(ROOT, '.env'))) process.loadEnvFile(join(ROOT, '.env'));
await import('../dist/programs/command.js');
