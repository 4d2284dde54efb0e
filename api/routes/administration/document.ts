import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { NumberDocumentRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { presentDocument } from '../../../core/services/numbers/documents.js';
import type { RawReply } from '../../http/reply.js';
import { documentObject } from '../numbers/porting.js';

/** A document that is evidence, as administrators see it. */
export const administeredDocument = documentObject
  .extend({
    sha256: z.string(),
    storage: z.enum(['local', 's3']).describe('Where the file is'),
    storage_key: z.string(),
  })
  .meta({ id: 'AdministeredDocument' });

export function presentAdministeredDocument(row: NumberDocumentRow): z.output<typeof administeredDocument> {
  const { sha256, storage, storage_key } = row;
  return { ...presentDocument(row), sha256, storage, storage_key };
}

export const DOCUMENT_RESPONSES = {
  200: { schema: z.string(), contentType: 'application/octet-stream', description: 'The file: PDF, PNG or JPEG' },
};

/** @throws HatifError NOT_FOUND */
export function named(documents: readonly NumberDocumentRow[], id: string): NumberDocumentRow {
  const found = documents.find((document) => document.id === id);
  if (!found) throw new HatifError('NOT_FOUND', { what: `document ${id}` });
  return found;
}

/**
 * The document as a download: a browser must not open what a customer uploaded.
 * @throws StorageError
 */
export async function documentReply<Kind extends string>(
  reader: { readonly read: (document: NumberDocumentRow<Kind>) => Promise<Readable> },
  document: NumberDocumentRow<Kind>,
): Promise<RawReply> {
  const bytes = await buffer(await reader.read(document));
  const name = document.name.replace(/[^\w.-]+/g, '_');
  return {
    status: 200,
    raw: bytes,
    contentType: 'application/octet-stream',
    headers: { 'Content-Disposition': `attachment; filename="${name}"`, 'X-Content-Type-Options': 'nosniff' },
  };
}
