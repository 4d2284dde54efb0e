import type { Readable } from 'node:stream';
import type { WorkRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import { StorageError, type ByteRange, type ObjectStores } from '../../ports/object-store.js';

/** A file of an archive, to be sent. */
export interface OpenArchive {
  readonly bytes: number;
  readonly sha256: string;
  /** Ends the name of the file: `1.tar.gz`. */
  readonly name: string;
  read(range?: ByteRange): Promise<Readable>;
}

const RETRY_SECONDS = 10;

/**
 * Opens a file of an archive. @param number from 1
 * @throws HatifError ARCHIVE_NOT_READY, ARCHIVE_EXPIRED, NOT_FOUND, RECORDING_SERVICE_UNAVAILABLE
 */
export async function openPart(stores: ObjectStores, row: WorkRow, number: number): Promise<OpenArchive> {
  if (row.expires_at === null && row.finished_at === null) {
    throw new HatifError('ARCHIVE_NOT_READY', {}, { retryAfterSeconds: RETRY_SECONDS });
  }
  if (row.parts.length === 0) throw new HatifError('ARCHIVE_EXPIRED');
  const part = row.parts[number - 1];
  if (!part) {
    throw new HatifError('NOT_FOUND', { what: { en: `the file ${number}`, ar: arabic`الملف ${number}` } });
  }
  const store = stores.of(part.storage);
  const reading = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.problem === 'not_found') throw new HatifError('ARCHIVE_EXPIRED', {}, { cause: error });
      throw new HatifError('RECORDING_SERVICE_UNAVAILABLE', {}, { cause: error });
    }
  };
  return {
    bytes: await reading(store.size(part.storage_key)),
    sha256: part.sha256,
    name: part.storage_key.split('/').at(-1) ?? '',
    read: (range) => reading(store.read(part.storage_key, range)),
  };
}
