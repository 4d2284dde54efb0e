#!/usr/bin/env node
/**
 * `npm run check:rooms`: the rules of docs/adr 0001. Who may import whom and circles of files: .dependency-cruiser.cjs; circles
 * and sizes of folders: lib/folders.mjs. A module that the cruise did not reach is a failure too.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { cruise, format } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

import { filesOf } from './lib/files.mjs';
import { crowdedFolders, folderCircles } from './lib/folders.mjs';
import { ROOT, Trouble, main } from './lib/run.mjs';

/** Folders whose circles count: the product. Tests mirror it. */
const PRODUCT = /^(core|engine|ivr|sip|jobs|adapters|api|cli|config|console|main)\//;
const OTHERS = ['docs', 'scripts', 'console', 'bench', 'test'];

await main(async () => {
  const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const sources = [...include, 'console'].flatMap(filesOf).filter((file) => file.endsWith('.ts'));
  if (sources.length === 0) throw new Trouble('There is no module to look at.');
  process.chdir(ROOT);
  const { output } = await cruise(sources, { ...config.options, ruleSet: config, validate: true }, undefined, {
    tsConfig: extractTSConfig(config.options.tsConfig.fileName),
  });
  const cruised = new Set(output.modules.map(({ source }) => source));
  const missed = sources.filter((file) => !cruised.has(file));
  if (missed.length > 0) {
    throw new Trouble(
      `${missed.length} of ${sources.length} modules were not cruised. Is TypeScript a version that dependency-cruiser can use?`,
    );
  }
  const imports = output.modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ resolved }) => PRODUCT.test(source) && PRODUCT.test(resolved))
      .map(({ resolved }) => [source, resolved]),
  );
  const faults = [
    ...folderCircles(imports),
    ...crowdedFolders([...new Set([...include, ...OTHERS].flatMap(filesOf))].filter(isOurs)),
  ];
  const { output: report } = await format(output, { outputType: 'err' });
  if (output.summary.error > 0) faults.unshift(report);
  if (faults.length > 0) throw new Trouble(faults.join('\n'));
  console.log(`Rooms: ${sources.length} modules, every import allowed, no circle of files or folders.`);
});

/** Recorded material (transcripts, audio, scenarios) is data, not a file that somebody reads. */
function isOurs(file) {
  return /\.(ts|tsx|mjs|cjs|md|json|conf|xml|html|css|sh)$/.test(file);
}
