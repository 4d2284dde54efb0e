import { z } from 'zod';
import type { Cipher } from '../../../core/model/access/cipher.js';

/** Grows when an older Hatif could not read the archive any more. */
export const FORMAT = 1;
/** The first member of the archive. */
export const MANIFEST = 'manifest.json';

const name = z.string().regex(/^[a-z0-9_-]{1,63}$/);

const manifest = z.object({
  format: z.literal(FORMAT),
  hatif: z.string(),
  created_at: z.iso.datetime(),
  /** Which migrations had made the tables. */
  migrations: z.array(name).min(1),
  tables: z.array(z.object({ name, columns: z.array(name).min(1) })).min(1),
  secret: z.object({
    /** `file`: a member holds it. `setting`: the operator keeps it, in HATIF_SECRET. */
    kept: z.enum(['file', 'setting']),
    check: z.string(),
  }),
});
export type Manifest = z.infer<typeof manifest>;

/** @returns null when it is not one; `format` tells one that a newer Hatif wrote. */
export function parseManifest(text: string): Manifest | { readonly newerFormat: number } | null {
  try {
    const read: unknown = JSON.parse(text);
    const parsed = manifest.safeParse(read);
    if (parsed.success) return parsed.data;
    const { format } = z.object({ format: z.number().int() }).parse(read);
    return format > FORMAT ? { newerFormat: format } : null;
  } catch {
    return null;
  }
}

/** Tells whether a secret is the one that sealed what the backup holds, without telling the secret. */
export function checkOf(cipher: Cipher): string {
  return cipher.mac('backup', 'check');
}

/** Rows come in members of so many bytes: what is read at once is held in memory. */
export const PIECE_BYTES = 4 * 1024 * 1024;

/** `database/<table>/<piece>`; pieces of one table follow each other and do not end where rows end. */
export function pieceName(table: string, piece: number): string {
  return `database/${table}/${piece.toString().padStart(6, '0')}`;
}

export function tableOfPiece(member: string): string | null {
  return /^database\/([^/]+)\/\d+$/.exec(member)?.[1] ?? null;
}
