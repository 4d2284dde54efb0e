import { readFile } from 'node:fs/promises';
import type { DocumentFile } from '../../../core/services/numbers/documents.js';
import type { UploadedFile } from '../../http/route.js';

/** The uploaded document, read whole: its type shows at its end. */
export async function documentOf({ path, name }: UploadedFile): Promise<DocumentFile> {
  return { bytes: await readFile(path), name };
}
