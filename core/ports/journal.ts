/**
 * What waits on disk until the database can take it: entries in the order in which they came, each a JSON value. An entry that was
 * accepted outlives the process and the machine's power.
 */
export interface Journal {
  /** Entries that are not dropped yet, those on their way to the disk among them. */
  readonly entries: number;
  /** What the file takes on disk. */
  readonly bytes: number;
  /** Resolves when the entry is safe on disk. @throws JournalRefusal: it was not taken. */
  append(entry: object): Promise<void>;
  /** The oldest entries, at most so many; those on their way to the disk are waited for. */
  peek(most: number): Promise<readonly object[]>;
  /** The oldest so many of the last {@link peek} are done with. Resolves when this, too, is noted. */
  drop(count: number): Promise<void>;
  /** What is in it stays for whoever comes next. */
  close(): Promise<void>;
}

/** Why a journal took no entry: its bound is reached, or the disk failed. */
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

/** The journal of an owner that is gone. */
export interface LeftJournal extends Journal {
  /** The epoch in which it was written, and those in which others began to write it down since. */
  readonly epochs: readonly number[];
  /** Note, before anything is written from it, in which epoch this is done. */
  take(epoch: number): Promise<void>;
  /** It is written down: away with it. */
  remove(): Promise<void>;
}

/** All journals of this process's data folder. */
export interface JournalShelf {
  /** A journal for the engine's owner in this epoch. Nothing is on disk before the first entry. */
  open(engineId: string, epoch: number): Journal;
  /** What owners of earlier epochs left behind, oldest first. */
  left(engineId: string, epoch: number): Promise<readonly LeftJournal[]>;
}
