import { z } from 'zod';
import type { Cipher } from '../../../core/model/access/cipher.js';

/** Increased when older versions can no longer read the archive. */
export const FORMAT = 1;
/** The first member of the archive. */
export const MANIFEST = 'manifest.json';

const name = z.string().regex(/^[a-z0-9_-]{1,63}$/);

const manifest = z.object({
  format: z.literal(FORMAT),
  hatif: z.string(),
  created_at: z.iso.datetime(),
  /** Migrations of the schema. */
  migrations: z.array(name).min(1),
  tables: z.array(z.object({ name, columns: z.array(name).min(1) })).min(1),
  secret: z.object({
    /** `file`: a member of the archive holds it. `setting`: only HATIF_SECRET holds it. */
    kept: z.enum(['file', 'setting']),
    check: z.string(),
  }),
});
export type Manifest = z.infer<typeof manifest>;

/** @returns null if the text is not a manifest; `newerFormat` if a newer version wrote it */
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

/** A value by which a secret can be recognized without revealing it. */
export function checkOf(cipher: Cipher): string {
  return cipher.mac('backup', 'check');
}

/** Size of the members that hold rows, in bytes; one is held in memory at a time. */
export const PIECE_BYTES = 4 * 1024 * 1024;

/** `database/<table>/<piece>`. The pieces of a table follow each other; a row may be split between two. */
export function pieceName(table: string, piece: number): string {
  return `database/${table}/${piece.toString().padStart(6, '0')}`;
}

export function tableOfPiece(member: string): string | null {
  return /^database\/([^/]+)\/\d+$/.exec(member)?.[1] ?? null;
}
