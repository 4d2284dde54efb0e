import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { NumberDocumentRow } from '../../../core/data/rows.js';
import type { NumberAdministration } from '../../../core/services/number-administration/number-administration.js';
import type { RawReply } from '../../http/reply.js';

export const DOCUMENT_RESPONSES = {
  200: { schema: z.string(), contentType: 'application/octet-stream', description: 'The file: PDF, PNG or JPEG' },
};

/**
 * The document as a download: a browser must not open what a customer uploaded.
 * @throws StorageError
 */
export async function documentReply(
  administration: NumberAdministration,
  document: NumberDocumentRow,
): Promise<RawReply> {
  const bytes = await buffer(await administration.read(document));
  const name = document.name.replace(/[^\w.-]+/g, '_');
  return {
    status: 200,
    raw: bytes,
    contentType: 'application/octet-stream',
    headers: { 'Content-Disposition': `attachment; filename="${name}"`, 'X-Content-Type-Options': 'nosniff' },
  };
}
