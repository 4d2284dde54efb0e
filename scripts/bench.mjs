#!/usr/bin/env node
/** `npm run bench [-- <part>…]`: installs the dependencies, builds the platform, runs bench/main.ts. */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { runProgram } = await import('./lib/program.mjs');

await runProgram('bench/main.ts');
