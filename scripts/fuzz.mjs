#!/usr/bin/env node
/** `npm run fuzz -- [--seed N] [--requests N]`: builds the platform and runs test/fuzz/main.ts. Exit code 1 for a fault. */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { runProgram } = await import('./lib/program.mjs');

await runProgram('test/fuzz/main.ts');
