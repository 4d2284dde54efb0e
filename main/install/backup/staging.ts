import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArchiveError } from '../../../adapters/archive/checksums.js';
import type { ArchiveMember } from '../../../adapters/archive/reader.js';
import { makeSharedFolder } from '../../../adapters/files/shared.js';

/** A staged file and its destination. */
interface Waiting {
  readonly from: string;
  readonly to: string;
}

/** Stages files on the file systems of their destinations, so that a rename puts them in place. */
export class Staging {
  readonly #mark = `restore-${randomBytes(6).toString('hex')}`;
  readonly #folders = new Set<string>();
  /** Named by ids, so that extra ones do no harm. */
  readonly #media: Waiting[] = [];
  /** Files that the old database needs unchanged until the commit. */
  readonly #last: Waiting[] = [];

  /** @param places destination folders, by the first part of the members' names */
  constructor(private readonly places: Readonly<Record<string, string>>) {}

  get files(): number {
    return this.#media.length;
  }

  /** @throws ArchiveError if the member's name points elsewhere */
  async stage({ name, mode, content }: ArchiveMember): Promise<void> {
    const [root = '', ...parts] = name.split('/');
    const place = this.places[root];
    const isSafe = parts.length > 0 && parts.every((part) => /^[^\0\\]+$/.test(part) && part !== '.' && part !== '..');
    if (place === undefined || !isSafe) throw new ArchiveError(`"${name}" does not belong in a backup`);
    const folder = `${place}.${this.#mark}`;
    const from = join(folder, ...parts);
    this.#folders.add(folder);
    await mkdir(dirname(from), { recursive: true });
    await pipeline(content, createWriteStream(from, { flags: 'wx' }));
    await chmod(from, mode & 0o777);
    this.#media.push({ from, to: join(place, ...parts) });
  }

  /** Stages a small file that only its owner may read. */
  async stageFile(to: string, content: Buffer): Promise<void> {
    const from = `${to}.${this.#mark}`;
    await mkdir(dirname(to), { recursive: true });
    await writeFile(from, content, { mode: 0o600, flag: 'wx' });
    this.#last.push({ from, to });
  }

  /** Before the commit: puts the files that rows name in place. */
  async place(): Promise<void> {
    for (const { from, to } of this.#media) {
      await makeSharedFolder(dirname(to));
      await rename(from, to);
    }
  }

  /** After the commit: puts the files in place that only the new rows fit. */
  async settle(): Promise<void> {
    for (const { from, to } of this.#last) await rename(from, to);
  }

  async close(): Promise<void> {
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
    for (const { from } of this.#last) await rm(from, { force: true });
  }
}
