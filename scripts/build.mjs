#!/usr/bin/env node
import { build } from './lib/build.mjs';
import { main } from './lib/run.mjs';

await main(build);
