import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exists, memberOf, readJson, writeJson } from '../system/files.js';
import { withLock } from '../system/lock.js';
import { run } from '../system/run.js';
import { EmbeddedError } from '../system/types.js';
import type { PackageOptions, Progress } from '../system/types.js';
import { readMachineApt } from './machine-apt.js';
import { PrivateApt } from './private-apt.js';
import { PACKAGE_SETS } from './sets.js';
import type { PackageSetName } from './sets.js';

/** Unpacked packages with their own libraries and loader, at home in any folder. */
export interface Prefix {
  readonly path: string;
  readonly loader: string;
  readonly libraryDirs: readonly string[];
  /** For example `x86_64-linux-gnu`. */
  readonly triplet: string;
  /** Resolved version of each package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Debian's names for the architectures whose packages exist for every part. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, { triplet: string; loader: string }>> = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};
const MANIFEST = 'hatif-manifest.json';
const silent: Progress = () => undefined;

/**
 * The prefix of a package set, fetched when it is not there yet. What was fetched completely is kept for good and
 * needs no network; a half-finished one is thrown away and fetched again; two processes wait for each other.
 */
export async function ensurePrefix(name: PackageSetName, options: PackageOptions): Promise<Prefix> {
  const target = join(options.cacheDir, name);
  const ready = await openPrefix(name, target);
  if (ready) return ready;
  const onProgress = options.onProgress ?? silent;
  architecture(name);
  const machine = await readMachineApt(name, options.aptMirror);
  const apt = new PrivateApt(join(options.cacheDir, 'apt'), machine, onProgress);
  return withLock(
    join(options.cacheDir, 'fetch.lock'),
    async () => (await openPrefix(name, target)) ?? fetchPrefix(name, target, apt, onProgress),
    () => onProgress(`Waiting for another download before ${PACKAGE_SETS[name].title}`),
  );
}

async function openPrefix(name: PackageSetName, path: string): Promise<Prefix | undefined> {
  const manifest = readJson(join(path, MANIFEST));
  const versions = memberOf(manifest, 'versions');
  if (typeof versions !== 'object' || versions === null) return undefined;
  const { triplet, loader } = architecture(name);
  const libraryDirs = [`usr/lib/${triplet}`, `usr/lib/${triplet}/pulseaudio`, `lib/${triplet}`].map((folder) =>
    join(path, folder),
  );
  const loaderFile = join(path, 'usr', 'lib', triplet, loader);
  if (!(await exists(loaderFile))) return undefined;
  return { path, loader: loaderFile, libraryDirs, triplet, versions: versions as Record<string, string> };
}

async function fetchPrefix(
  name: PackageSetName,
  target: string,
  apt: PrivateApt,
  onProgress: Progress,
): Promise<Prefix> {
  const set = PACKAGE_SETS[name];
  const files = await apt.download(set);

  onProgress(`Unpacking ${set.title}`);
  const unpacking = `${target}.unpacking`;
  await rm(unpacking, { recursive: true, force: true });
  await mkdir(unpacking, { recursive: true });
  const queue = [...files];
  const unpackRest = async (): Promise<void> => {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      const { code, stderr } = await run('dpkg-deb', ['-x', file, unpacking]);
      if (code !== 0) throw new EmbeddedError(name, `${basename(file)} could not be unpacked: ${stderr.trim()}`);
    }
  };
  await Promise.all([unpackRest(), unpackRest(), unpackRest()]);
  await Promise.all(
    ['doc', 'man', 'locale', 'lintian', 'info'].map((folder) =>
      rm(join(unpacking, 'usr', 'share', folder), { recursive: true, force: true }),
    ),
  );
  const versions = Object.fromEntries(files.map((file) => packageOf(basename(file))));
  writeJson(join(unpacking, MANIFEST), { set: name, fetchedAt: new Date().toISOString(), versions });
  await rm(target, { recursive: true, force: true });
  await rename(unpacking, target);
  await apt.forget(set);
  const prefix = await openPrefix(name, target);
  if (!prefix) {
    const found = await readdir(target);
    throw new EmbeddedError(name, `the unpacked packages hold no program loader (found ${found.join(', ')})`);
  }
  return prefix;
}

/** Name and version from a package file's name; `%3a` stands for the epoch's colon. */
export function packageOf(file: string): [name: string, version: string] {
  const [name = file, version = ''] = file.split('_');
  return [name, decodeURIComponent(version)];
}

function architecture(part: string): { triplet: string; loader: string } {
  const known = process.platform === 'linux' ? ARCHITECTURES[process.arch] : undefined;
  if (known) return known;
  throw new EmbeddedError(
    part,
    `there are no ready-made packages for ${process.platform}/${process.arch}; use "docker compose up" or a server of your own`,
  );
}
