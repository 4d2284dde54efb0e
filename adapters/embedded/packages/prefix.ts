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

/** Unpacked packages with their own libraries and loader, in a relocatable directory. */
export interface Prefix {
  readonly path: string;
  readonly loader: string;
  readonly libraryDirs: readonly string[];
  /** For example `x86_64-linux-gnu`. */
  readonly triplet: string;
  /** The resolved version of each package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Debian's names for the architectures that have packages for every part. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, { triplet: string; loader: string }>> = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};
const MANIFEST = 'hatif-manifest.json';
const silent: Progress = () => undefined;

/**
 * Returns the prefix of a package set, downloading it if necessary. A complete prefix is kept and needs no network; an
 * incomplete one is deleted and downloaded again. A lock keeps two processes from downloading at the same time.
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
      if (code !== 0) throw new EmbeddedError(name, `${basename(file)} cannot be unpacked: ${stderr.trim()}`);
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
    throw new EmbeddedError(name, `the unpacked packages contain no program loader (found ${found.join(', ')})`);
  }
  return prefix;
}

/** Parses name and version from a package's file name; `%3a` is the colon after the epoch. */
export function packageOf(file: string): [name: string, version: string] {
  const [name = file, version = ''] = file.split('_');
  return [name, decodeURIComponent(version)];
}

function architecture(part: string): { triplet: string; loader: string } {
  const known = process.platform === 'linux' ? ARCHITECTURES[process.arch] : undefined;
  if (known) return known;
  throw new EmbeddedError(
    part,
    `there are no packages for ${process.platform}/${process.arch}; use "docker compose up" or a server of your own`,
  );
}
