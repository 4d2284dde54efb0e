#!/usr/bin/env node
/** Installs the dependencies of package-lock.json if they are missing or differ. */
import { ensureDependencies } from './lib/dependencies.mjs';
import { checkNode } from './lib/node-version.mjs';
import { main } from './lib/run.mjs';

checkNode();
await main(ensureDependencies);
