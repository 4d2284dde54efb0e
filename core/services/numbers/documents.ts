import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DocumentOwner, NumberDocuments } from '../../data/repositories/numbers/number-documents.js';
import type { NumberDocumentRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { DocumentKind } from '../../model/number/porting.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { ObjectStores } from '../../ports/object-store.js';

export interface DocumentFile {
  readonly bytes: Buffer;
  readonly name: string;
}

/** A document as the API shows it. */
export interface DocumentObject<Kind extends string = DocumentKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly created_at: string;
}

export interface DocumentsOptions {
  readonly documents: NumberDocuments;
  readonly stores: ObjectStores;
  readonly clock: Clock;
}

/** Maximum size of a document: 10 MiB. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
const MAX_DOCUMENTS = 20;
const MAX_NAME_LENGTH = 128;

/** File types are detected from the content; the file name is ignored. */
const TYPES: readonly { readonly type: string; readonly extension: string; readonly is: (bytes: Buffer) => boolean }[] =
  [
    {
      type: 'application/pdf',
      extension: 'pdf',
      is: (bytes) => startsWith(bytes, '25504446 2d') && bytes.subarray(-1024).includes('%%EOF'),
    },
    { type: 'image/png', extension: 'png', is: (bytes) => startsWith(bytes, '89504e47 0d0a1a0a') },
    { type: 'image/jpeg', extension: 'jpg', is: (bytes) => startsWith(bytes, 'ffd8ff') },
  ];

/** Stores documents that prove something to the operator, in the same object storage as recordings. */
export class Documents {
  constructor(private readonly options: DocumentsOptions) {}

  of<Kind extends string = DocumentKind>(owner: DocumentOwner): Promise<NumberDocumentRow<Kind>[]> {
    return this.options.documents.of(owner);
  }

  /**
   * @throws HatifError VALIDATION_ERROR if the file is not a PDF, PNG or JPEG, or there are too many documents;
   * StorageError
   */
  async add<Kind extends string>(
    owner: DocumentOwner,
    kind: Kind,
    file: DocumentFile,
  ): Promise<NumberDocumentRow<Kind>> {
    const { documents, stores, clock } = this.options;
    const found = TYPES.find(({ is }) => is(file.bytes));
    if (!found) throw invalidField('file', { en: 'is not a PDF, PNG or JPEG file', ar: 'ليس ملف PDF أو PNG أو JPEG' });
    if ((await documents.of(owner)).length >= MAX_DOCUMENTS) {
      throw invalidField('file', {
        en: `exceeds the limit: there are already ${MAX_DOCUMENTS} documents`,
        ar: arabic`عدد الوثائق بلغ ${MAX_DOCUMENTS}، وهو الحد الأقصى`,
      });
    }
    const id = newId();
    const storage_key = `documents/${id}.${found.extension}`;
    await this.#put(storage_key, file.bytes, found.type);
    const row: NumberDocumentRow<Kind> = {
      porting_request_id: null,
      claim_id: null,
      production_request_id: null,
      ...owner,
      id,
      kind,
      name: nameOf(file.name, found.extension),
      media_type: found.type,
      bytes: file.bytes.length,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      storage: stores.current.kind,
      storage_key,
      created_at: clock.now(),
    };
    try {
      await documents.insert(row);
    } catch (error) {
      // Without a row nothing refers to the file, so it would stay in the storage for ever.
      await stores.current.remove(storage_key).catch(() => undefined);
      throw error;
    }
    return row;
  }

  /** Deletes the file first: if that fails, the row remains and the deletion can be retried. @throws StorageError */
  async remove({ id, storage, storage_key }: NumberDocumentRow<string>): Promise<void> {
    await this.options.stores.of(storage).remove(storage_key);
    await this.options.documents.remove(id);
  }

  /** @throws StorageError */
  read({ storage, storage_key }: NumberDocumentRow<string>): Promise<Readable> {
    return this.options.stores.of(storage).read(storage_key);
  }

  /** Object stores take files, so the bytes go through a temporary one. */
  async #put(key: string, bytes: Buffer, type: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-document-'));
    try {
      const file = join(folder, 'document');
      await writeFile(file, bytes, { mode: 0o600 });
      await this.options.stores.current.put(key, file, type);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

export function presentDocument<Kind extends string>(row: NumberDocumentRow<Kind>): DocumentObject<Kind> {
  const { id, kind, name, media_type, bytes } = row;
  return { id, kind, name, media_type, bytes, created_at: row.created_at.toISOString() };
}

function startsWith(bytes: Buffer, hex: string): boolean {
  const magic = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return bytes.subarray(0, magic.length).equals(magic);
}

/**
 * Strips folders and control characters and limits the length. Never returns an empty name or one that ends in half a
 * surrogate pair.
 */
function nameOf(fileName: string, extension: string): string {
  const base =
    fileName
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '')
      .trim() ?? '';
  return base.slice(0, MAX_NAME_LENGTH).replace(/[\uD800-\uDBFF]$/, '') || `document.${extension}`;
}
