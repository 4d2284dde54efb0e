import { isId } from '../../../model/ids.js';
import { indexedWords } from '../../../model/contacts/search.js';
import type { Database, Queryable } from '../../database.js';
import type { ContactRow } from '../../rows.js';
import type { SegmentRules } from '../../../model/contacts/segment.js';
import type { ProjectKind } from '../project-kind.js';
import { segmentCondition } from './segment-conditions.js';

/** The contacts of a project that a caller sees. */
export interface ContactScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
}

/** Limits a list; absent members limit nothing. */
export interface ContactFilter {
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly tag?: string | undefined;
  /** Of a group whose members the organization chooses. */
  readonly groupId?: string | undefined;
  readonly sandbox?: boolean | undefined;
  readonly rules?: SegmentRules | undefined;
  /** Each begins a word of the contact: see core/model/contacts/search.ts. */
  readonly words?: readonly string[] | undefined;
}

/** All but the words, and what consents say. */
export const COLUMN_NAMES = [
  ...(['id', 'organization_id', 'project_id', 'sandbox', 'phone', 'email', 'name_en', 'name_ar', 'language'] as const),
  ...(['time_zone', 'tags', 'custom_fields', 'created_at', 'updated_at'] as const),
] satisfies readonly (keyof ContactRow)[];
/** Whether somebody of these `contacts` opted out of marketing on any channel. */
export const OPTED_OUT = `EXISTS (
  SELECT FROM consents AS consent WHERE consent.project_id = contacts.project_id AND consent.sandbox = contacts.sandbox
    AND consent.address IN (contacts.phone, contacts.email) AND consent.class = 'promotional'
    AND consent.status = 'opted_out') AS marketing_opted_out`;
/** A {@link ContactRow} of the table `contacts`. */
export const CONTACT_COLUMNS = `${COLUMN_NAMES.map((name) => `contacts.${name}`).join(', ')}, ${OPTED_OUT}`;
const VALUES = COLUMN_NAMES.map((_, index) => `$${index + 1}`).join(', ');
const WORDS = `array_to_tsvector($${COLUMN_NAMES.length + 1}::text[])`;

export class Contacts {
  constructor(private readonly db: Database) {}

  /** @throws a unique violation of `contacts_phone` or `contacts_email` */
  async insert(row: ContactRow, on: Queryable = this.db): Promise<void> {
    await on.query(
      `INSERT INTO contacts (${COLUMN_NAMES.join(', ')}, words) VALUES (${VALUES}, ${WORDS})`,
      valuesOf(row),
    );
  }

  /** Null for a malformed id, and for a contact that the scope does not show. */
  async get({ projectId, sandboxOnly }: ContactScope, id: string, on: Queryable = this.db): Promise<ContactRow | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<ContactRow>(
      `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3)`,
      [id, projectId, sandboxOnly],
    );
    return row ?? null;
  }

  /** The contact that has the number, or the address. */
  async having(
    { projectId, sandbox }: ProjectKind,
    address: 'phone' | 'email',
    value: string,
  ): Promise<ContactRow | null> {
    const [row] = await this.db.query<ContactRow>(
      `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE project_id = $1 AND sandbox = $2 AND ${address} = $3`,
      [projectId, sandbox, value],
    );
    return row ?? null;
  }

  /** The time zones of the contacts that have these numbers, or addresses, as far as they have one. */
  async zones(
    { projectId, sandbox }: ProjectKind,
    address: 'phone' | 'email',
    values: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await this.db.query<{ address: string; time_zone: string }>(
      `SELECT ${address} AS address, time_zone FROM contacts
       WHERE project_id = $1 AND sandbox = $2 AND ${address} = ANY ($3::text[]) AND time_zone IS NOT NULL`,
      [projectId, sandbox, values],
    );
    return new Map(rows.map((row) => [row.address, row.time_zone]));
  }

  /** Newest first, only those before `beforeId`. */
  page(scope: ContactScope, filter: ContactFilter, beforeId: string | null, limit: number): Promise<ContactRow[]> {
    const values: unknown[] = [scope.projectId, scope.sandboxOnly, beforeId, limit];
    const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`);
    return this.db.query<ContactRow>(
      `SELECT ${CONTACT_COLUMNS} FROM contacts
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND ($3::uuid IS NULL OR id < $3)
         ${conditions.map((condition) => `AND ${condition}`).join(' ')}
       ORDER BY id DESC LIMIT $4`,
      values,
    );
  }

  /**
   * Locks a contact until the end of the transaction. Null if the project has no such contact of this kind.
   */
  async lock(tx: Queryable, { projectId, sandbox }: ProjectKind, id: string): Promise<ContactRow | null> {
    if (!isId(id)) return null;
    const [row] = await tx.query<ContactRow>(
      `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id = $1 AND project_id = $2 AND sandbox = $3 FOR UPDATE OF contacts`,
      [id, projectId, sandbox],
    );
    return row ?? null;
  }

  /** @throws like {@link insert} */
  async update(tx: Queryable, row: ContactRow): Promise<void> {
    await tx.query(
      `UPDATE contacts SET (${COLUMN_NAMES.join(', ')}, words) = (${VALUES}, ${WORDS}) WHERE id = $1`,
      valuesOf(row),
    );
  }

  /** Removes the contact from its groups too. @returns false if the project has no such contact of this kind */
  async remove({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const rows = await this.db.query(
      `DELETE FROM contacts WHERE id = $1 AND project_id = $2 AND sandbox = $3 RETURNING id`,
      [id, projectId, sandbox],
    );
    return rows.length > 0;
  }
}

function valuesOf(row: ContactRow): unknown[] {
  const columns = COLUMN_NAMES.map((name) => (name === 'custom_fields' ? JSON.stringify(row[name]) : row[name]));
  return [...columns, indexedWords(row)];
}

function conditionsOf(
  { phone, email, tag, groupId, sandbox, rules, words = [] }: ContactFilter,
  value: (given: unknown) => string,
): string[] {
  const conditions: string[] = [];
  if (phone !== undefined) conditions.push(`phone = ${value(phone)}`);
  if (email !== undefined) conditions.push(`email = ${value(email)}`);
  if (tag !== undefined) conditions.push(`tags @> ARRAY[${value(tag)}::text]`);
  if (groupId !== undefined)
    conditions.push(`id IN (SELECT contact_id FROM contact_group_members WHERE group_id = ${value(groupId)})`);
  if (sandbox !== undefined) conditions.push(`sandbox = ${value(sandbox)}`);
  if (rules !== undefined) conditions.push(segmentCondition(rules, value));
  if (words.length > 0) conditions.push(`words @@ ${value(queryOf(words))}::tsquery`);
  return conditions;
}

/** The words are letters and digits only, so that nothing in them is an operator. */
function queryOf(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ');
}
