import type { Readable } from 'node:stream';
import { StorageError, type ByteRange, type ObjectStore, type ObjectStores } from '../../core/ports/object-store.js';
import { LocalStore } from './local.js';
import type { S3Options } from './s3.js';

export interface ObjectStoresOptions {
  /** Where new files go. */
  readonly use: ObjectStore['kind'];
  /** The local storage's folder. */
  readonly folder: string;
  /** Also while new files go elsewhere: older ones are still there. */
  readonly s3?: S3Options;
}

/** The storages that the settings describe. */
export function openObjectStores({ use, folder, s3 }: ObjectStoresOptions): ObjectStores {
  const stores: Record<ObjectStore['kind'], ObjectStore> = {
    local: new LocalStore(folder),
    s3: new LateStore('s3', () => openS3(s3)),
  };
  return { current: stores[use], of: (kind) => stores[kind] };
}

/** Its client is large: loaded only where it is used. */
async function openS3(options: S3Options | undefined): Promise<ObjectStore> {
  if (options === undefined) throw new StorageError('unavailable', 'no setting describes the S3 storage');
  const { S3Store } = await import('./s3.js');
  return new S3Store(options);
}

/** A storage that is opened by the first question to it. */
class LateStore implements ObjectStore {
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
