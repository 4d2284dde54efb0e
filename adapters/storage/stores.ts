import type { Readable } from 'node:stream';
import { StorageError, type ByteRange, type ObjectStore, type ObjectStores } from '../../core/ports/object-store.js';
import { LocalStore } from './local.js';
import type { S3Options } from './s3.js';

export interface ObjectStoresOptions {
  /** The storage for new files. */
  readonly use: ObjectStore['kind'];
  /** The directory of the local storage. */
  readonly folder: string;
  /** Also needed for older files while new ones are stored locally. */
  readonly s3?: S3Options;
}

/** Opens the configured storages. */
export function openObjectStores({ use, folder, s3 }: ObjectStoresOptions): ObjectStores {
  const stores: Record<ObjectStore['kind'], ObjectStore> = {
    local: new LocalStore(folder),
    s3: new LazyStore('s3', () => openS3(s3)),
  };
  return { current: stores[use], of: (kind) => stores[kind] };
}

/** The S3 client is large, so it is only loaded when it is used. */
async function openS3(options: S3Options | undefined): Promise<ObjectStore> {
  if (options === undefined) throw new StorageError('unavailable', 'the S3 storage is not configured');
  const { S3Store } = await import('./s3.js');
  return new S3Store(options);
}

/** A storage that is opened at its first use. */
class LazyStore implements ObjectStore {
  #store: Promise<ObjectStore> | null = null;

  constructor(
    readonly kind: ObjectStore['kind'],
    private readonly open: () => Promise<ObjectStore>,
  ) {}

  async put(key: string, file: string, contentType: string): Promise<void> {
    return (await this.#opened()).put(key, file, contentType);
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    return (await this.#opened()).read(key, range);
  }

  async size(key: string): Promise<number> {
    return (await this.#opened()).size(key);
  }

  async remove(key: string): Promise<void> {
    return (await this.#opened()).remove(key);
  }

  async check(): Promise<void> {
    return (await this.#opened()).check();
  }

  #opened(): Promise<ObjectStore> {
    this.#store ??= this.open();
    return this.#store;
  }
}
