import type { Readable } from 'node:stream';

export type StorageProblem =
  /** The storage does not answer, or refuses us: the same request may succeed later. */
  | 'unavailable'
  /** Nothing is kept under the key. */
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

/** Bytes from `start` to `end`, both included and inside of what is kept. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Keeps finished files (recordings) under keys of `[a-z0-9/._-]`. Every method rejects with StorageError only. */
export interface ObjectStore {
  readonly kind: 'local' | 's3';
  /** Keep a copy of the file, whole or not at all; one that is there already is replaced. `not_found`: there is no such file. */
  put(key: string, file: string, contentType: string): Promise<void>;
  /** The bytes as they come; a fault on the way ends the stream with an error. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** How many bytes are kept under the key. */
  size(key: string): Promise<number>;
  /** Removing what is not there does nothing. */
  remove(key: string): Promise<void>;
  /** Resolves when the storage could take a file now. */
  check(): Promise<void>;
}

/** All storages that files may be in: new ones go to `current`; what went elsewhere before a change of settings is still read. */
export interface ObjectStores {
  readonly current: ObjectStore;
  /** One that no setting describes any more answers `unavailable` to everything. */
  of(kind: ObjectStore['kind']): ObjectStore;
}
