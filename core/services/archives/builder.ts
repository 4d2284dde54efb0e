import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ArchivePart } from '../../data/rows.js';
import { hasCode } from '../../model/error-code.js';
import type { ArchiveFile, ArchiveFormat } from '../../ports/archive.js';
import { StorageError, type ObjectStores } from '../../ports/object-store.js';
import type { ArchiveMember, ArchiveSource, FileOfMember } from './members.js';

export interface ArchiveBuilderOptions {
  readonly format: ArchiveFormat;
  readonly stores: ObjectStores;
  /** For files on their way. */
  readonly folder: string;
  /** An archive begins another file after this size; default 1 GiB: a storage takes one of 5 GiB at most. */
  readonly partBytes?: number;
}

/** Where an archive continues: with this source, after this position. */
export interface ArchivePosition {
  readonly source: number;
  readonly after: string | null;
}

export const ARCHIVE_START: ArchivePosition = { source: 0, after: null };

/** Rows and files by category. */
export type MemberCounts = Readonly<Record<string, { readonly found: number; readonly exported: number }>>;

export interface ArchiveWork {
  readonly id: string;
  /** Keys in the storage begin with it. */
  readonly prefix: string;
  readonly sources: readonly ArchiveSource[];
  readonly from: ArchivePosition;
  /** Files that are stored already. */
  readonly parts: readonly ArchivePart[];
  /** A text for the beginning of each file. */
  readonly about: string;
  /** The text at the end of the last file. @param counts what the files since `from` have */
  readonly report: (counts: MemberCounts) => string;
  /** A file is stored. `next`: null after the last one. @param counts what this file has */
  readonly onPart: (part: ArchivePart, next: ArchivePosition | null, counts: MemberCounts) => Promise<void>;
  /** Called now and then. */
  readonly keepClaim: () => Promise<void>;
}

const PART_BYTES = 1024 ** 3;

/** Writes what several sources have into files of a storage. A process that dies loses one file at most. */
export class ArchiveBuilder {
  constructor(private readonly options: ArchiveBuilderOptions) {}

  get contentType(): string {
    return this.options.format.contentType;
  }

  get extension(): string {
    return this.options.format.extension;
  }

  /** @throws StorageError, and what the sources throw: everything up to the last {@link ArchiveWork.onPart} is kept */
  async build(work: ArchiveWork): Promise<void> {
    const folder = join(this.options.folder, work.id);
    // What a dead process has left.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await new Building(this.options, work, folder).run();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

class Building {
  #file: ArchiveFile | null = null;
  #bytes = 0;
  #number: number;
  #counts: Record<string, { found: number; exported: number }> = {};
  readonly #all: Record<string, { found: number; exported: number }> = {};

  constructor(
    private readonly options: ArchiveBuilderOptions,
    private readonly work: ArchiveWork,
    private readonly folder: string,
  ) {
    this.#number = work.parts.length;
  }

  async run(): Promise<void> {
    const { sources, from, report, keepClaim } = this.work;
    const { partBytes = PART_BYTES } = this.options;
    try {
      for (const [index, source] of sources.entries()) {
        if (index < from.source) continue;
        for await (const member of source.members(index === from.source ? from.after : null)) {
          await keepClaim();
          await this.#add(member);
          if (this.#bytes >= partBytes) await this.#store({ source: index, after: member.position });
        }
      }
      const file = await this.#open();
      await file.add('report.json', report(this.#all));
      await this.#store(null);
    } finally {
      await this.#file?.abort();
    }
  }

  async #open(): Promise<ArchiveFile> {
    if (this.#file) return this.#file;
    this.#number += 1;
    this.#bytes = 0;
    this.#counts = {};
    this.#file = this.options.format.create(this.#path);
    await this.#file.add('about.txt', this.work.about);
    return this.#file;
  }

  async #add({ name, content, category, count }: ArchiveMember): Promise<void> {
    const file = await this.#open();
    let exported = count;
    if (typeof content === 'string') {
      await file.add(name, content);
      this.#bytes += Buffer.byteLength(content);
    } else {
      const bytes = await this.#addFile(file, name, content);
      this.#bytes += bytes ?? 0;
      if (bytes === null) exported = 0;
    }
    for (const counts of [this.#counts, this.#all]) {
      const known = counts[category] ?? { found: 0, exported: 0 };
      counts[category] = { found: known.found + count, exported: known.exported + exported };
    }
  }

  /** @returns null if there is no such file any more */
  async #addFile(file: ArchiveFile, name: string, content: FileOfMember): Promise<number | null> {
    try {
      if ('path' in content) return await file.addFile(name, content.path);
      // A member's size comes before its content, so the file is fetched first.
      const path = join(this.folder, 'member');
      await pipeline(await this.options.stores.of(content.storage).read(content.key), createWriteStream(path));
      const bytes = await file.addFile(name, path);
      await rm(path);
      return bytes;
    } catch (error) {
      const isGone = error instanceof StorageError ? error.problem === 'not_found' : hasCode(error, 'ENOENT');
      if (isGone) return null;
      throw error;
    }
  }

  async #store(next: ArchivePosition | null): Promise<void> {
    const { stores, format } = this.options;
    const bytes = (await this.#file?.finish()) ?? 0;
    this.#file = null;
    const part: ArchivePart = {
      storage: stores.current.kind,
      storage_key: `${this.work.prefix}/${this.#number}${format.extension}`,
      bytes,
      sha256: await digestOf(this.#path),
    };
    await this.work.keepClaim();
    // If the process dies before the part is recorded, the next one stores another file under the same key.
    await stores.current.put(part.storage_key, this.#path, format.contentType);
    await rm(this.#path);
    await this.work.onPart(part, next, this.#counts);
  }

  get #path(): string {
    return join(this.folder, `${this.#number}${this.options.format.extension}`);
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
