import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { filesOf } from './files.mjs';
import { DOCUMENTS, GUIDE, buildGuide } from './guide.mjs';
import { PHONE, buildPhone } from './phone.mjs';
import { PRODUCT } from './product.mjs';
import { ROOT, Trouble } from './run.mjs';
import { WEB_PACKAGE, WEB_PACKAGE_INPUTS, buildWebPackage } from './web-package.mjs';
import { WIDGET, buildWidget } from './widget.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
/** The programs, each with the modules that it loads in a few files: a process starts twice as fast as from 1,500 files. */
const PROGRAMS = { main: 'main.ts', command: 'main/command.ts' };
/** Relative to dist/. */
const PROGRAM_FOLDER = 'programs';
/** What a step of the build writes as a whole. */
const OWN_FOLDERS = ['.', `${PROGRAM_FOLDER}/`, `${WEB_PACKAGE}/`];
/** Inputs of the build that are not sources. */
const INPUTS = ['tsconfig.json', 'package-lock.json'];

/** Builds dist/ if an input changed since the last build. Copies files that are not TypeScript. */
export async function build() {
  const sources = PRODUCT.flatMap(filesOf);
  const hash = createHash('sha256');
  for (const file of [...INPUTS, ...sources, ...['console', ...WEB_PACKAGE_INPUTS, ...DOCUMENTS].flatMap(filesOf)])
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  const wanted = hash.digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;

  console.log('Building …');
  rmSync(STAMP, { force: true });
  await translate(
    sources.filter((file) => file.endsWith('.ts')),
    { outdir: DIST, outbase: ROOT },
  );
  for (const file of sources) if (!file.endsWith('.ts')) copy(file);
  await bundlePrograms();
  await buildWidget();
  await buildWebPackage();
  await buildPhone();
  await buildGuide();
  removeLeftovers(new Set([...sources, WIDGET, ...PHONE, GUIDE]));
  writeFileSync(STAMP, wanted);
}

/**
 * Translates TypeScript file by file into a folder. It does not check types: `npm run check` does.
 * @param options of esbuild, in addition
 */
export async function translate(entryPoints, options) {
  const { build } = await import('esbuild');
  try {
    await build({
      ...{ absWorkingDir: ROOT, platform: 'node', format: 'esm', target: 'node20' },
      ...{ entryPoints, sourcemap: true, sourcesContent: false, logLevel: 'warning', ...options },
    });
  } catch (error) {
    throw new Trouble('The build failed; see the output of the compiler above.', { cause: error });
  }
}

async function bundlePrograms() {
  rmSync(join(DIST, PROGRAM_FOLDER), { recursive: true, force: true });
  await translate(PROGRAMS, {
    ...{ outdir: join(DIST, PROGRAM_FOLDER), bundle: true, splitting: true, packages: 'external' },
    plugins: [{ name: 'location', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, located) }],
  });
}

/** A module of a program finds the files beside it where its own translation is. */
function located({ path }) {
  const source = readFileSync(path, 'utf8');
  if (!source.includes('import.meta.')) return undefined;
  const file = `../${relative(ROOT, path).replace(/\.ts$/, '.js')}`;
  const url = `new URL(${JSON.stringify(file)}, import.meta.url).href`;
  return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' };
}

function copy(file) {
  mkdirSync(dirname(join(DIST, file)), { recursive: true });
  copyFileSync(join(ROOT, file), join(DIST, file));
}

/** Removes the output of removed and renamed sources from dist/. */
function removeLeftovers(sources) {
  for (const file of filesOf('dist')) {
    const built = file.slice('dist/'.length);
    if (OWN_FOLDERS.some((folder) => built.startsWith(folder)) || sources.has(built)) continue;
    if (!sources.has(built.replace(/\.js(\.map)?$/, '.ts'))) rmSync(join(ROOT, file));
  }
}
