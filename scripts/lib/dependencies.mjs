import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT, Trouble, run, stillWorking } from './run.mjs';

const LOCK = join(ROOT, 'package-lock.json');
/** npm's own record of the packages in node_modules. */
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json');
const STAMP = join(ROOT, 'node_modules/.hatif-stamp');

/** Installs the dependencies of package-lock.json if they are missing or differ; returns quickly otherwise. */
export async function ensureDependencies() {
  const wanted = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  if (!(existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted && existsSync(INSTALLED))) {
    if (!installedAsLocked()) await install();
    writeFileSync(STAMP, wanted);
  }
  linkCommand();
}

/** Links the command for `npx hatif`: without the link, npx would first install the package elsewhere. */
function linkCommand() {
  const link = join(ROOT, 'node_modules/.bin/hatif');
  if (existsSync(link) || process.platform === 'win32') return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync('../../scripts/hatif.mjs', link);
}

/** Whether every package of the lock file is installed in its version, for example after a manual `npm ci`. */
function installedAsLocked() {
  if (!existsSync(INSTALLED)) return false;
  const locked = JSON.parse(readFileSync(LOCK, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, entry]) => path === '' || entry.optional || installed[path]?.version === entry.version,
  );
}

async function install() {
  console.log('Installing the dependencies (npm ci) …');
  const done = stillWorking('npm ci');
  // `npm start` sets npm_execpath. The build needs development packages, regardless of NODE_ENV.
  const npm = process.env.npm_execpath;
  const [command, before] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  // No package needs its install script; the `prepare` script of this package runs below.
  const options = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, signal } = await run(command, [...before, 'ci', ...options]);
  done();
  if (code !== 0) {
    throw new Trouble(
      `npm ci failed (${signal ?? `exit code ${code}`}); see its output above. ` +
        'Is the npm registry reachable? Try again with: npm ci',
    );
  }
  await run(process.execPath, ['scripts/install-hooks.mjs']);
}
