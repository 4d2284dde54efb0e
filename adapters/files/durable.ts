import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The ending of a file that is still being written. */
export const PART = '.part';

/** A name beside the file's own that nobody else writes to; it begins with the file's name. */
export function partOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}${PART}`;
}

/** Resolves when a file's content, or the names in a folder, outlive the machine's power. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a part that is whole the file's name, both safe on disk. */
export async function moveInto(part: string, file: string): Promise<void> {
  await sync(part);
  await rename(part, file);
  // A new name is on disk only when its folder is.
  await sync(dirname(file));
}

/** Under its name the file stands whole and safe on disk, or as it was before. @param write makes the part that it is handed */
export async function writeWhole<T>(file: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = partOf(file);
  try {
    const result = await write(part);
    await moveInto(part, file);
    return result;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
