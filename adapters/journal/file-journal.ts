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
  /** In which epoch it is written. */
  readonly epoch: number;
  /** The file never grows beyond it. */
  readonly maxBytes: number;
  readonly log: Logger;
}

interface Waiting {
  readonly bytes: Buffer;
  /** Whether it has to be safe on disk. */
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A journal in one file, a line an entry. Entries that come while others are on their way to the disk go together with the next sync.
 * Once everything is done with, the file is emptied. Only its owner writes it, so nothing is locked.
 */
export class FileJournal implements OrphanedJournal {
  readonly #epochs: number[];
  #file: FileHandle | null = null;
  /** Where the oldest entry begins that is not done with, and where the last whole line ends. */
  #begin = 0;
  #end = 0;
  #entries = 0;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  /** Everything that touches the file, one after another. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  /** Something of a refused group may stand behind the last whole line. */
  #isTorn = false;
  /** Where each entry of the last peek ends. */
  #peeked: number[] = [];

  constructor(private readonly options: FileJournalOptions) {
    this.#epochs = [options.epoch];
  }

  /** A file that is there already: what is in it is counted; a torn end is cut off, damaged lines are told and passed over. */
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
    await this.#serial(async () => {
      if (!this.#file) return;
      for await (const { line, end } of readLines(this.#file, this.#begin, this.#end)) {
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
    const begin = this.#peeked[count - 1];
    if (begin === undefined) return;
    this.#begin = begin;
    this.#peeked = this.#peeked.slice(count);
    this.#entries -= count;
    if (this.#entries === 0) await this.#serial(() => this.#empty());
    // A repeat of what is done with is harmless: this spares the next owner some work, and need not be safe.
    else await this.#enqueue(encodeLine({ done: begin }), false);
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
    await this.#serial(async () => {
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
      else if ('done' in line) this.#begin = line.done;
      else this.#epochs.push(line.taken);
    }
    // What was torn had not been accepted.
    if (this.#end < size) await file.truncate(this.#end);
    this.#entries = ends.filter((end) => end > this.#begin).length;
    if (damaged > 0) log.error({ path, damaged }, 'lines of the journal are damaged: these changes of calls are lost');
  }

  #enqueue(bytes: Buffer, sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ bytes, sync, resolve, reject });
      this.#queuedBytes += bytes.length;
      if (this.#queue.length === 1) void this.#serial(() => this.#flush());
    });
  }

  /** Runs the task when all before it are through. */
  #serial(task: () => Promise<void>): Promise<void> {
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
      const refusal = new JournalRefusal('disk', 'the journal could not be written', { cause: error });
      for (const { reject } of batch) reject(refusal);
    }
    this.#queuedBytes -= written.length;
    for (const { resolve } of batch) resolve();
  }

  async #empty(): Promise<void> {
    // Something came meanwhile.
    if (this.#entries > 0 || !this.#file) return;
    await this.#file.truncate(0);
    await this.#file.datasync();
    this.#begin = 0;
    this.#end = 0;
  }

  async #create(): Promise<FileHandle> {
    const { path, log } = this.options;
    const create = (): Promise<FileHandle> => open(path, 'ax+', 0o600);
    try {
      return await create();
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      // Epochs come again only in a database that was restored from a backup.
      log.error(
        { path },
        'a journal of the same epoch is there already: it is put aside (.aside) and not written down',
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
    // The file's name must outlive the machine's power, too.
    await sync(folder);
    return file;
  }
}
