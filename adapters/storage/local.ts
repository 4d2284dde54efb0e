import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { hasCode } from '../../core/model/error-code.js';
import { StorageError, type ByteRange, type ObjectStore } from '../../core/ports/object-store.js';
import { PART, sync, writeAtomically } from '../files/durable.js';
import { checkKey } from './key.js';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Stores files in one directory, with the key as the path: written atomically, synced before `put` resolves, readable
 * only by this user.
 */
export class LocalStore implements ObjectStore {
  readonly kind = 'local';

  private readonly folder: string;

  /** @param folder created with the first file */
  constructor(folder: string) {
    this.folder = path.resolve(folder);
  }

  async put(key: string, file: string): Promise<void> {
    const target = this.#pathOf(key);
    await this.#try(async () => {
      const folder = path.dirname(target);
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      await writeAtomically(target, async (part) => {
        await copyFile(file, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(part, FILE_MODE);
      });
      await removeParts(target);
      await this.#syncAbove(folder);
    });
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const target = this.#pathOf(key);
    return this.#try(async () => {
      const handle = await open(target, 'r');
      // The stream closes the file at its end and when it is destroyed.
      return handle.createReadStream(range === undefined ? {} : { start: range.start, end: range.end });
    });
  }

  async size(key: string): Promise<number> {
    const target = this.#pathOf(key);
    return this.#try(async () => (await stat(target)).size);
  }

  /** Also deletes temporary copies of a killed `put`. */
  async remove(key: string): Promise<void> {
    const target = this.#pathOf(key);
    await this.#try(async () => {
      // If the root directory is missing (a disk that is not mounted), the removal must fail.
      await access(this.folder);
      await rm(target, { force: true });
      await removeParts(target);
      await sync(path.dirname(target)).catch(ignoreMissing);
    });
  }

  async check(): Promise<void> {
    await this.#try(async () => {
      await mkdir(this.folder, { recursive: true, mode: FOLDER_MODE });
      await access(this.folder, constants.R_OK | constants.W_OK | constants.X_OK);
      const { bavail } = await statfs(this.folder);
      if (bavail === 0) throw new Error('the disk is full');
    });
  }

  #pathOf(key: string): string {
    checkKey(key);
    return path.join(this.folder, key);
  }

  /** Syncs the parent directories: new directories are durable only after that. */
  async #syncAbove(below: string): Promise<void> {
    for (let folder = path.dirname(below); folder.startsWith(this.folder); folder = path.dirname(folder)) {
      await sync(folder);
    }
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const missing = isMissing(error) && (await isFolder(this.folder));
      throw missing
        ? new StorageError('not_found', 'no such file in the storage', { cause: error })
        : new StorageError('unavailable', 'the recording directory is unavailable', { cause: error });
    }
  }
}

async function removeParts(target: string): Promise<void> {
  const [folder, name] = [path.dirname(target), path.basename(target)];
  const names = await readdir(folder).catch((error: unknown) => (ignoreMissing(error), []));
  const parts = names.filter((found) => found.startsWith(`${name}.`) && found.endsWith(PART));
  for (const part of parts) await rm(path.join(folder, part), { force: true });
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
