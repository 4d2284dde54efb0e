import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build, translate } from './build.mjs';
import { filesOf } from './files.mjs';
import { PRODUCT } from './product.mjs';
import { ROOT } from './run.mjs';

/**
 * Holds the translated tests and links to the built platform, so that tests import what `npm start` runs. A process
 * loads it several times faster than TypeScript that is translated while it is loaded.
 */
const TREE = join(ROOT, '.hatif-tests');
const STAMP = join(TREE, '.stamp');
const SOURCES = ['test', 'bench', 'console', 'packages/web/src'];

/** The translated file of a test's source, relative to {@link ROOT}. */
export const translated = (file) => join('.hatif-tests', file.replace(/\.ts$/, '.js'));

/** The source of a translated file, relative to {@link ROOT}. */
export const sourceOf = (file) => file.replace(/^\.hatif-tests\//, '').replace(/\.js$/, '.ts');

/** Builds the platform, and translates the tests if one of them changed since the last time. */
export async function buildTests() {
  await build();
  const files = SOURCES.flatMap(filesOf).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  const sources = files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);
  const hash = createHash('sha256').update(readFileSync(new URL(import.meta.url)));
  for (const [file, source] of sources) hash.update(`${file}\0`).update(source);
  const wanted = hash.digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;

  rmSync(TREE, { recursive: true, force: true });
  mkdirSync(TREE);
  for (const entry of PRODUCT.filter((entry) => !entry.endsWith('.ts')))
    symlinkSync(join('../dist', entry), join(TREE, entry));
  symlinkSync('../scripts', join(TREE, 'scripts'));
  const isLocated = ([, source]) => source.includes('import.meta.');
  await translate(
    sources.filter((entry) => !isLocated(entry)).map(([file]) => file),
    { outdir: TREE, outbase: ROOT },
  );
  for (const [file] of sources.filter(isLocated))
    await translate([file], { outdir: TREE, outbase: ROOT, define: locationOf(file) });
  writeFileSync(STAMP, wanted);
}

/** A test finds its fixtures, documents and programs beside its source. */
function locationOf(file) {
  const path = join(ROOT, file);
  return {
    'import.meta.url': JSON.stringify(pathToFileURL(path).href),
    'import.meta.dirname': JSON.stringify(dirname(path)),
  };
}
