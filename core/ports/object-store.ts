import type { Readable } from 'node:stream';

export type StorageProblem =
  /**
   * The storage does not answer, or refuses our credentials: the same request may succeed later.
   */
  | 'unavailable'
  /** No object is stored under the key. */
  | 'not_found';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  constructor(
    readonly problem: StorageProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Bytes from `start` to `end`, both inclusive and within the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores finished files (recordings) under keys of `[a-z0-9/._-]`. Every method rejects with
 * StorageError only.
 */
export interface ObjectStore {
  readonly kind: 'local' | 's3';
  /**
   * Stores a copy of the file atomically, replacing an existing object. `not_found`: the file does
   * not exist.
   */
  put(key: string, file: string, contentType: string): Promise<void>;
  /** Streams the bytes. A failure on the way ends the stream with an error. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Size of the object in bytes. */
  size(key: string): Promise<number>;
  /** Removing a missing object does nothing. */
  remove(key: string): Promise<void>;
  /** Resolves if the storage could take a file now. */
  check(): Promise<void>;
}

/**
 * All storages that files may be in. New files go to `current`; files stored elsewhere before a
 * change of settings can still be read.
 */
export interface ObjectStores {
  readonly current: ObjectStore;
  /** A storage that is no longer configured answers `unavailable` to everything. */
  of(kind: ObjectStore['kind']): ObjectStore;
}
