import { indexedWords } from '../../../model/contacts/search.js';
import type { Queryable } from '../../database.js';
import type { ContactRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';
import { COLUMN_NAMES, CONTACT_COLUMNS } from './contacts.js';

const LIST = COLUMN_NAMES.join(', ');
const GIVEN = COLUMN_NAMES.map((name) => `given.${name}`).join(', ');
/** The rows of `$1` with their words. */
const ROWS = `jsonb_array_elements($1::jsonb) AS item
  CROSS JOIN LATERAL jsonb_populate_record(NULL::contacts, item - 'words') AS given
  CROSS JOIN LATERAL (SELECT array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(item->'words'))) AS words) AS found`;

/** Locks and returns the contacts that have one of the numbers or addresses, in the order of their creation. */
export function lockHaving(
  tx: Queryable,
  { projectId, sandbox }: ProjectKind,
  phones: readonly string[],
  emails: readonly string[],
): Promise<ContactRow[]> {
  return tx.query<ContactRow>(
    `SELECT ${CONTACT_COLUMNS} FROM contacts
     WHERE project_id = $1 AND sandbox = $2 AND (phone = ANY ($3::text[]) OR email = ANY ($4::text[]))
     ORDER BY id FOR UPDATE OF contacts`,
    [projectId, sandbox, phones, emails],
  );
}

/** @throws a unique violation of `contacts_phone` or `contacts_email` */
export async function insertContacts(tx: Queryable, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(`INSERT INTO contacts (${LIST}, words) SELECT ${GIVEN}, found.words FROM ${ROWS}`, [jsonOf(rows)]);
}

/** @throws like {@link insertContacts} */
export async function updateContacts(tx: Queryable, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `UPDATE contacts SET (${LIST}, words) = ROW (${GIVEN}, found.words) FROM ${ROWS} WHERE contacts.id = given.id`,
    [jsonOf(rows)],
  );
}

/**
 * Adds contacts to a group as far as it has room; those that are in it stay.
 * @returns whether all are members now; null if the group is gone
 */
export async function joinGroup(
  tx: Queryable,
  groupId: string,
  contactIds: readonly string[],
  max: number,
  at: Date,
): Promise<boolean | null> {
  // Counted after the lock: additions that it waited for are seen.
  const group = await tx.query(`SELECT 1 FROM contact_groups WHERE id = $1 FOR UPDATE`, [groupId]);
  if (group.length === 0) return null;
  const [counted] = await tx.query<{ members: number }>(
    `SELECT count(*)::integer AS members FROM contact_group_members WHERE group_id = $1`,
    [groupId],
  );
  const wanted = await tx.query<{ id: string }>(
    `SELECT id FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place)
     WHERE NOT EXISTS (SELECT FROM contact_group_members WHERE group_id = $1 AND contact_id = wanted.id)
     ORDER BY place`,
    [groupId, contactIds],
  );
  const room = Math.max(0, max - (counted?.members ?? 0));
  await tx.query(
    `INSERT INTO contact_group_members (group_id, contact_id, added_at)
     SELECT $1::uuid, id, $3::timestamptz FROM unnest($2::uuid[]) AS id`,
    [groupId, wanted.slice(0, room).map(({ id }) => id), at],
  );
  return wanted.length <= room;
}

function jsonOf(rows: readonly ContactRow[]): string {
  return JSON.stringify(rows.map((row) => ({ ...row, words: indexedWords(row) })));
}
