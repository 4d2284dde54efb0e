#!/usr/bin/env node
/**
 * `npm run chaos -- --seed N --calls N`: builds the platform and runs test/chaos/main.ts. Exit code 1 if something was
 * lost.
 */
import { checkNode } from './lib/node-version.mjs';

checkNode();
const { runProgram } = await import('./lib/program.mjs');

await runProgram('test/chaos/main.ts');
