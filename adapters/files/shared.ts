import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Engines may run as another user. */
const FOLDER_MODE = 0o755;

/**
 * Creates a directory and its parents, readable by every user whatever the umask. Existing directories stay unchanged.
 */
export async function makeSharedFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  // Every new directory, from the innermost outwards.
  for (let path = resolve(folder); made !== undefined && path.startsWith(made); path = dirname(path)) {
    await chmod(path, FOLDER_MODE);
  }
}
