import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../core/model/access/cipher.js';
import { invalidField } from '../../core/model/errors/index.js';

/** Reads and writes the opaque cursors of one list of one project or signed-in user. */
export interface CursorCodec {
  /** The position that a cursor encodes, or null without a cursor. @throws HatifError VALIDATION_ERROR. */
  read(cursor: string | undefined): string | null;
  write(position: string): string;
}

/**
 * Cursors are `<position>.<mac>`, both base64url. They are signed, so clients cannot forge them, and bound to one list
 * (the operation, and the project or the signed-in user), so another list rejects them.
 */
export function cursorCodec(cipher: Cipher, list: string): CursorCodec {
  const sign = (position: string): string => cipher.mac('cursor', `${list}\n${position}`);
  return {
    write: (position) => `${Buffer.from(position, 'utf8').toString('base64url')}.${sign(position)}`,
    read(cursor) {
      if (cursor === undefined) return null;
      const [body = '', mac = ''] = cursor.split('.');
      const position = Buffer.from(body, 'base64url').toString('utf8');
      const expected = Buffer.from(sign(position));
      const given = Buffer.from(mac);
      const genuine = given.length === expected.length && timingSafeEqual(given, expected);
      if (!genuine || cursor.split('.').length !== 2) throw invalidField('cursor', BAD_CURSOR);
      return position;
    },
  };
}

const BAD_CURSOR = {
  en: 'is not a cursor of this list; use next_cursor of the previous page unchanged',
  ar: 'ليس مؤشرًا لهذه القائمة؛ استخدم قيمة `next_cursor` من الصفحة السابقة كما هي',
};

export interface CursorPage<T> {
  readonly data: T[];
  readonly next_cursor: string | null;
  readonly limit: number;
}

/**
 * One page of a cursor-paged list.
 * @param rows up to `limit + 1` rows; the extra row only shows that there is a next page
 * @param position the position of a row in the order of the list; the next page starts after it
 * @param view the row as the answer shows it; without it, the row itself
 */
export function cursorPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursors: CursorCodec,
  position: (row: Row) => string,
): CursorPage<Row>;
export function cursorPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  cursors: CursorCodec,
  position: (row: Row) => string,
  view: (row: Row) => T,
): CursorPage<T>;
export function cursorPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursors: CursorCodec,
  position: (row: Row) => string,
  view: (row: Row) => unknown = (row) => row,
): CursorPage<unknown> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { data: shown.map(view), next_cursor: more ? cursors.write(position(last)) : null, limit };
}
