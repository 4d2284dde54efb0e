#!/usr/bin/env node
/** `npm run check:rooms`: who may import whom (.dependency-cruiser.cjs). A module that was not looked at is a failure too. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { cruise, format } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

import { filesOf } from './lib/files.mjs';
import { ROOT, Trouble, main } from './lib/run.mjs';

await main(async () => {
  const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const sources = [...include, 'console'].flatMap(filesOf).filter((file) => file.endsWith('.ts'));
  if (sources.length === 0) throw new Trouble('There is no module to look at.');
  process.chdir(ROOT);
  const { output } = await cruise(sources, { ...config.options, ruleSet: config, validate: true }, undefined, {
    tsConfig: extractTSConfig(config.options.tsConfig.fileName),
  });
  const looked = new Set(output.modules.map(({ source }) => source));
  const missed = sources.filter((file) => !looked.has(file));
  if (missed.length > 0) {
    throw new Trouble(
      `Not looked at: ${missed.length} of ${sources.length} modules. Is TypeScript a version that dependency-cruiser can use?`,
    );
  }
  const { output: report } = await format(output, { outputType: 'err' });
  if (output.summary.error > 0) throw new Trouble(report);
  console.log(`Rooms: ${sources.length} modules, every import allowed.`);
});
