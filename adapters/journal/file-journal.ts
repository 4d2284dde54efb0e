import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../core/model/error-code.js';
import { JournalRefusal, type OrphanedJournal } from '../../core/ports/journal.js';
import type { Logger } from '../../core/ports/logger.js';
import { sync } from '../files/durable.js';
import { encodeLine } from './line.js';
import { readLines } from './read-lines.js';

export interface FileJournalOptions {
  readonly path: string;
  /** The epoch of the engine's owner that writes it. */
  readonly epoch: number;
  /** The maximum file size. */
  readonly maxBytes: number;
  readonly log: Logger;
}

interface PendingWrite {
  readonly bytes: Buffer;
  /** Whether it must be synced to disk. */
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A journal in one file with one entry per line. Entries that arrive during a sync are written together with the next
 * one. When all entries are done, the file is truncated. Only the owner process writes it, so there is no locking.
 */
export class FileJournal implements OrphanedJournal {
  readonly #epochs: number[];
  #file: FileHandle | null = null;
  /** The offset of the oldest entry that is not done, and of the end of the last complete line. */
  #start = 0;
  #end = 0;
  #entries = 0;
  #queue: PendingWrite[] = [];
  #queuedBytes = 0;
  /** Serializes everything that touches the file. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  /** Part of a rejected batch may follow the last complete line. */
  #isTorn = false;
  /** The end offset of each entry of the last peek. */
  #peeked: number[] = [];

  constructor(private readonly options: FileJournalOptions) {
    this.#epochs = [options.epoch];
  }

  /** Opens an existing file and counts its entries. A torn end is cut off; damaged lines are logged and skipped. */
  static async found(options: FileJournalOptions): Promise<FileJournal> {
    const journal = new FileJournal(options);
    await journal.#scan();
    return journal;
  }

  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    return this.#end + this.#queuedBytes;
  }

  get epochs(): readonly number[] {
    return this.#epochs;
  }

  async append(entry: object): Promise<void> {
    const bytes = encodeLine({ entry });
    if (this.bytes + bytes.length > this.options.maxBytes) {
      throw new JournalRefusal('full', `the journal has reached ${this.options.maxBytes} bytes`);
    }
    this.#entries += 1;
    try {
      await this.#enqueue(bytes, true);
    } catch (error) {
      this.#entries -= 1;
      throw error;
    }
  }

  async peek(most: number): Promise<readonly object[]> {
    const entries: object[] = [];
    const ends: number[] = [];
    await this.#serialize(async () => {
      if (!this.#file) return;
      for await (const { line, end } of readLines(this.#file, this.#start, this.#end)) {
        if (line === null || !('entry' in line)) continue;
        entries.push(line.entry);
        ends.push(end);
        if (entries.length === most) break;
      }
    });
    this.#peeked = ends;
    return entries;
  }

  async drop(count: number): Promise<void> {
    const start = this.#peeked[count - 1];
    if (start === undefined) return;
    this.#start = start;
    this.#peeked = this.#peeked.slice(count);
    this.#entries -= count;
    if (this.#entries === 0) await this.#serialize(() => this.#empty());
    // The record is only an optimization for the next owner and needs no sync: repeating finished entries is harmless.
    else await this.#enqueue(encodeLine({ done: start }), false);
  }

  async recordReplay(epoch: number): Promise<void> {
    await this.#enqueue(encodeLine({ taken: epoch }), true);
    this.#epochs.push(epoch);
  }

  async remove(): Promise<void> {
    this.#entries = 0;
    await this.close();
  }

  async close(): Promise<void> {
    await this.#serialize(async () => {
      if (!this.#file) return;
      await this.#file.close();
      this.#file = null;
      if (this.#entries === 0) await rm(this.options.path, { force: true });
    });
  }

  async #scan(): Promise<void> {
    const { path, log } = this.options;
    const file = (this.#file = await open(path, 'a+', 0o600));
    const { size } = await file.stat();
    const ends: number[] = [];
    let damaged = 0;
    for await (const { line, end } of readLines(file, 0, size)) {
      this.#end = end;
      if (line === null) damaged += 1;
      else if ('entry' in line) ends.push(end);
      else if ('done' in line) this.#start = line.done;
      else this.#epochs.push(line.taken);
    }
    // A torn line was never acknowledged.
    if (this.#end < size) await file.truncate(this.#end);
    this.#entries = ends.filter((end) => end > this.#start).length;
    if (damaged > 0) log.error({ path, damaged }, 'damaged journal lines; these call changes are lost');
  }

  #enqueue(bytes: Buffer, sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ bytes, sync, resolve, reject });
      this.#queuedBytes += bytes.length;
      if (this.#queue.length === 1) void this.#serialize(() => this.#flush());
    });
  }

  /** Runs the task after all earlier ones have settled. */
  #serialize(task: () => Promise<void>): Promise<void> {
    const run = this.#work.then(task);
    this.#work = run.catch(() => undefined);
    return run;
  }

  async #flush(): Promise<void> {
    const batch = this.#queue;
    this.#queue = [];
    const written = Buffer.concat(batch.map(({ bytes }) => bytes));
    try {
      const file = await this.#opened();
      if (this.#isTorn) await file.truncate(this.#end);
      this.#isTorn = true;
      await file.appendFile(written);
      if (batch.some(({ sync }) => sync)) await file.datasync();
      this.#isTorn = false;
      this.#end += written.length;
    } catch (error) {
      const refusal = new JournalRefusal('disk', 'cannot write the journal', { cause: error });
      for (const { reject } of batch) reject(refusal);
    }
    this.#queuedBytes -= written.length;
    for (const { resolve } of batch) resolve();
  }

  async #empty(): Promise<void> {
    // An entry arrived in the meantime.
    if (this.#entries > 0 || !this.#file) return;
    await this.#file.truncate(0);
    await this.#file.datasync();
    this.#start = 0;
    this.#end = 0;
  }

  async #create(): Promise<FileHandle> {
    const { path, log } = this.options;
    const create = (): Promise<FileHandle> => open(path, 'ax+', 0o600);
    try {
      return await create();
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      // An epoch repeats only if the database was restored from a backup.
      log.error(
        { path },
        'a journal of this epoch exists already; it is renamed to .aside and its entries are not stored',
      );
      await rename(path, `${path}.aside`);
      return create();
    }
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const folder = dirname(this.options.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = (this.#file = await this.#create());
    // Sync the directory as well, so that the file's name survives a power failure.
    await sync(folder);
    return file;
  }
}
