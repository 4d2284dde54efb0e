#!/usr/bin/env node
/** The dependencies of package-lock.json, where they are missing or other ones. */
import { ensureDependencies } from './lib/dependencies.mjs';
import { checkNode } from './lib/node-version.mjs';
import { main } from './lib/run.mjs';

checkNode();
await main(ensureDependencies);
