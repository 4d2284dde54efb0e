import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import multer, { type StorageEngine } from 'multer';

/** Longer than any request: a file of this age belonged to a process that died. */
const ABANDONED_MS = 60 * 60_000;

/** Only this process's user may read what clients upload. */
const FOLDER_MODE = 0o700;

/** Where the bodies of uploads wait while their requests are served. */
export function spoolIn(folder: string): StorageEngine {
  return multer.diskStorage({
    destination: (_req, _file, done) => {
      mkdir(folder, { recursive: true, mode: FOLDER_MODE }).then(
        () => done(null, folder),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), folder),
      );
    },
    filename: (_req, _file, done) => done(null, randomUUID()),
  });
}

/** The SHA-256 of a file in hexadecimal digits. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Deletes what processes left there that died while they received an upload. */
export async function tidySpool(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}
