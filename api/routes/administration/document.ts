import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { NumberDocumentRow } from '../../../core/data/rows.js';
import type { RawReply } from '../../http/reply.js';

export const DOCUMENT_RESPONSES = {
  200: { schema: z.string(), contentType: 'application/octet-stream', description: 'The file: PDF, PNG or JPEG' },
};

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
