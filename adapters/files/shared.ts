import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Engines may run as another user. */
const FOLDER_MODE = 0o755;

/** Makes a folder, with those above it, that every user of the machine may read, whatever the umask. One that is there stays as it is. */
export async function makeSharedFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  // Every folder that is new, from the inside out.
  for (let path = resolve(folder); made !== undefined && path.startsWith(made); path = dirname(path)) {
    await chmod(path, FOLDER_MODE);
  }
}
