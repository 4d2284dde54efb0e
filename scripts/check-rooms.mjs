#!/usr/bin/env node
/**
 * `npm run check:rooms`: checks the rules of ADR 0001. .dependency-cruiser.cjs defines the allowed imports and forbids
 * circles of files; lib/folders.mjs checks circles and sizes of folders. A module that the cruise did not reach is also
 * a failure.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { cruise, format } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

import { filesOf } from './lib/files.mjs';
import { crowdedFolders, folderCircles } from './lib/folders.mjs';
import { ROOT, Trouble, main } from './lib/run.mjs';

/** Only circles of the product's folders count; the tests mirror these folders. */
const PRODUCT = /^(core|engine|ivr|sip|jobs|adapters|api|cli|config|console|packages|main)\//;
const OTHERS = ['docs', 'scripts', 'console', 'packages/web/src', 'bench', 'test'];

await main(async () => {
  const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const sources = [...include, 'console', 'packages/web/src'].flatMap(filesOf).filter((file) => file.endsWith('.ts'));
  if (sources.length === 0) throw new Trouble('There is no module to look at.');
  process.chdir(ROOT);
  const { output } = await cruise(sources, { ...config.options, ruleSet: config, validate: true }, undefined, {
    tsConfig: extractTSConfig(config.options.tsConfig.fileName),
  });
  const cruised = new Set(output.modules.map(({ source }) => source));
  const missed = sources.filter((file) => !cruised.has(file));
  if (missed.length > 0) {
    throw new Trouble(
      `${missed.length} of ${sources.length} modules were not cruised. ` +
        'Does dependency-cruiser support this version of TypeScript?',
    );
  }
  const imports = output.modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ resolved }) => PRODUCT.test(source) && PRODUCT.test(resolved))
      .map(({ resolved }) => [source, resolved]),
  );
  const faults = [
    ...folderCircles(imports),
    ...crowdedFolders([...new Set([...include, ...OTHERS].flatMap(filesOf))].filter(isSource)),
  ];
  const { output: report } = await format(output, { outputType: 'err' });
  if (output.summary.error > 0) faults.unshift(report);
  if (faults.length > 0) throw new Trouble(faults.join('\n'));
  console.log(`Rooms: ${sources.length} modules, every import allowed, no circle of files or folders.`);
});

/** Excludes recorded data (transcripts, audio, scenarios), which nobody reads as source. */
function isSource(file) {
  return /\.(ts|tsx|mjs|cjs|md|json|conf|xml|html|css|sh)$/.test(file);
}
