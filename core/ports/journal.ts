/**
 * Entries that wait on disk until the database can take them, in order of arrival, each a JSON
 * value. An accepted entry survives the end of the process and a power failure.
 */
export interface Journal {
  /** Number of entries not yet dropped, including those still being written to disk. */
  readonly entries: number;
  /** Size of the file on disk. */
  readonly bytes: number;
  /** Resolves when the entry is safe on disk. @throws JournalRefusal if it was not accepted. */
  append(entry: object): Promise<void>;
  /** Returns up to `limit` of the oldest entries. Waits for entries still being written to disk. */
  peek(limit: number): Promise<readonly object[]>;
  /**
   * Drops the oldest `count` entries of the last {@link peek}. Resolves when this is on disk, too.
   */
  drop(count: number): Promise<void>;
  /** Closes the file. Its entries stay for the next process. */
  close(): Promise<void>;
}

/** Why a journal refused an entry: it is full, or the disk failed. */
export class JournalRefusal extends Error {
  override readonly name = 'JournalRefusal';
  constructor(
    readonly reason: 'full' | 'disk',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The journal of an owner process that is gone. */
export interface OrphanedJournal extends Journal {
  /**
   * The epoch in which it was written, and the epochs of owners that have started to replay it
   * since.
   */
  readonly epochs: readonly number[];
  /** Records the epoch of this replay. Call it before writing any entry to the database. */
  recordReplay(epoch: number): Promise<void>;
  /** Deletes the journal after its replay. */
  remove(): Promise<void>;
}

/** All journals in this process's data folder. */
export interface JournalStore {
  /**
   * Opens a journal for the engine's owner in this epoch. Creates no file before the first entry.
   */
  open(engineId: string, epoch: number): Journal;
  /** Journals left by owners of earlier epochs, oldest first. */
  orphaned(engineId: string, epoch: number): Promise<readonly OrphanedJournal[]>;
}
