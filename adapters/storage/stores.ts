import type { Readable } from 'node:stream';
import { StorageError, type ObjectStore, type ObjectStores } from '../../core/ports/object-store.js';
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
export async function openObjectStores({ use, folder, s3 }: ObjectStoresOptions): Promise<ObjectStores> {
  const stores: Record<ObjectStore['kind'], ObjectStore> = {
    local: new LocalStore(folder),
    s3: s3 === undefined ? new UndescribedStore('s3') : await openS3(s3),
  };
  return { current: stores[use], of: (kind) => stores[kind] };
}

/** Its client is large: loaded only where it is used. */
async function openS3(options: S3Options): Promise<ObjectStore> {
  const { S3Store } = await import('./s3.js');
  return new S3Store(options);
}

/** Stands for a storage that rows name and settings do not describe any more: nothing is known of what is in it. */
class UndescribedStore implements ObjectStore {
  constructor(readonly kind: ObjectStore['kind']) {}

  put(): Promise<void> {
    return this.#refuse();
  }

  read(): Promise<Readable> {
    return this.#refuse();
  }

  size(): Promise<number> {
    return this.#refuse();
  }

  remove(): Promise<void> {
    return this.#refuse();
  }

  check(): Promise<void> {
    return this.#refuse();
  }

  #refuse(): Promise<never> {
    return Promise.reject(new StorageError('unavailable', `no setting describes the ${this.kind} storage`));
  }
}
