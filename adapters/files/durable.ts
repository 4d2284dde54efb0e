import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The suffix of a file that is still being written. */
export const PART = '.part';

/** Returns a unique name next to the file that begins with the file's name. */
export function partOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}${PART}`;
}

/** Syncs a file's content, or a directory's entries, so that they survive a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames a complete part file to the file's name, with both synced to disk. */
export async function commitPart(part: string, file: string): Promise<void> {
  await sync(part);
  await rename(part, file);
  // A new name is durable only after its directory is synced.
  await sync(dirname(file));
}

/**
 * Writes a file atomically and durably: afterwards it is either complete or unchanged.
 * @param write writes the part file that it is given
 */
export async function writeAtomically<T>(file: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = partOf(file);
  try {
    const result = await write(part);
    await commitPart(part, file);
    return result;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
