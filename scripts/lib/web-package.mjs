import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { filesOf } from './files.mjs';
import { ROOT } from './run.mjs';

const SOURCE = 'packages/web';
/** The package as npm installs it, and beside it what the platform serves. */
export const WEB_PACKAGE = 'packages/web';
/** The package in one module, for pages without a bundler. */
const MODULE = `${WEB_PACKAGE}/v1.js`;
const ARCHIVE = `${WEB_PACKAGE}/hatif-web.tgz`;
const LICENCES = `${WEB_PACKAGE}/licences.txt`;
/** What the bundle contains of others: their licences ask for their texts. */
const BUNDLED = ['jssip', 'debug', 'ms', 'events', 'sdp-transform'];

/** The inputs of the package's build. */
export const WEB_PACKAGE_INPUTS = ['src', 'package.json', 'README.md'].map((name) => `${SOURCE}/${name}`);

const COMMON = {
  ...{ absWorkingDir: ROOT, bundle: true, minify: true, format: 'esm', charset: 'utf8', logLevel: 'warning' },
  target: ['chrome90', 'firefox101', 'safari16.4'],
  legalComments: 'none',
  banner: { js: '/*! @hatif/web. Contains JsSIP (MIT); see licences.txt. */' },
};

/** Builds packages/web: the modules with JsSIP in them, the types, and the archive that npm installs from a URL. */
export async function buildWebPackage() {
  const out = join(ROOT, 'dist', WEB_PACKAGE);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { build } = await import('esbuild');
  await Promise.all([
    build({
      ...COMMON,
      entryPoints: { index: `${SOURCE}/src/index.ts`, 'react/index': `${SOURCE}/src/react/index.ts` },
      ...{ outdir: out, splitting: true, chunkNames: 'chunk-[hash]', external: ['react'] },
    }),
    build({ ...COMMON, entryPoints: [`${SOURCE}/src/index.ts`], outfile: join(ROOT, 'dist', MODULE) }),
    writeTypes(out),
  ]);
  writeFileSync(join(ROOT, 'dist', LICENCES), licences());
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  writeFileSync(join(out, 'README.md'), readFileSync(join(ROOT, SOURCE, 'README.md')));
  writeFileSync(join(ROOT, 'dist', ARCHIVE), await archive(out));
}

/** A declaration for each module: what they export has its type written out, so no other file is needed. */
async function writeTypes(out) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    ...{ declaration: true, isolatedDeclarations: true, stripInternal: true, verbatimModuleSyntax: true },
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 },
  };
  for (const file of filesOf(`${SOURCE}/src`)) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const { outputText } = ts.transpileDeclaration(text, { fileName: file, compilerOptions });
    const target = join(out, file.slice(`${SOURCE}/src/`.length).replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
}

/** JsSIP is part of the bundle, so nobody installs it again. */
function manifest() {
  const own = JSON.parse(readFileSync(join(ROOT, SOURCE, 'package.json'), 'utf8'));
  return { ...own, dependencies: undefined, devDependencies: undefined };
}

function licences() {
  const require = createRequire(import.meta.url);
  return BUNDLED.map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const { version, license } = require(join(folder, 'package.json'));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  }).join('\n----\n\n');
}

/** What `npm pack` would make of the folder, with the same bytes each time. */
async function archive(folder) {
  const { pack } = await import('tar-stream');
  const tar = pack();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => name !== 'v1.js')
    .sort();
  for (const name of names)
    tar.entry({ name: `package/${name}`, mtime: new Date(0) }, readFileSync(join(folder, name)));
  tar.finalize();
  const parts = [];
  for await (const part of tar) parts.push(part);
  return gzipSync(Buffer.concat(parts), { level: 9 });
}
