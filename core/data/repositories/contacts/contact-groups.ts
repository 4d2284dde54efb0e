import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { ContactGroupRow, GroupMemberRow } from '../../rows.js';
import type { SegmentRules } from '../../../model/contacts/segment.js';
import type { ProjectKind } from '../project-kind.js';
import { OPTED_OUT, type ContactScope } from './contacts.js';
import { segmentCondition } from './segment-conditions.js';

/** What can change of a group. */
export interface GroupChanges {
  readonly name?: string | undefined;
  readonly rules?: SegmentRules | undefined;
}

/** Why members were not added. */
export type MembersRefused =
  | { readonly refused: 'no_group' }
  /** Its members follow from rules. */
  | { readonly refused: 'dynamic' }
  /** The project has no such contact of this kind. */
  | { readonly refused: 'unknown'; readonly contactId: string };

/** What lists show of a contact. */
const SHOWN = `contacts.phone, contacts.email, contacts.name_en, contacts.name_ar, contacts.language, ${OPTED_OUT}`;
const MEMBERS = `
  SELECT member.contact_id, ${SHOWN}, member.added_at
  FROM contact_group_members AS member JOIN contacts ON contacts.id = member.contact_id`;

export class ContactGroups {
  constructor(private readonly db: Database) {}

  /**
   * Adds a group unless the project has `max` of its kind. Safe against concurrent additions.
   * @returns false if there are as many
   * @throws a unique violation of `contact_groups_name`
   */
  add(row: ContactGroupRow, max: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `contact_groups ${row.project_id} ${String(row.sandbox)}`,
      ]);
      const added = await tx.query(
        `INSERT INTO contact_groups SELECT * FROM jsonb_populate_record(NULL::contact_groups, $1::jsonb)
         WHERE (SELECT count(*) FROM contact_groups WHERE project_id = $2 AND sandbox = $3) < $4 RETURNING id`,
        [JSON.stringify(row), row.project_id, row.sandbox, max],
      );
      return added.length > 0;
    });
  }

  /** Null for a malformed id, and for a group that the scope does not show. */
  async get({ projectId, sandboxOnly }: ContactScope, id: string): Promise<ContactGroupRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ContactGroupRow>(
      `SELECT * FROM contact_groups WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3)`,
      [id, projectId, sandboxOnly],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page({ projectId, sandboxOnly }: ContactScope, beforeId: string | null, limit: number): Promise<ContactGroupRow[]> {
    return this.db.query<ContactGroupRow>(
      `SELECT * FROM contact_groups
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
      [projectId, sandboxOnly, beforeId, limit],
    );
  }

  /** How many members each of these groups has; those with rules are left out. */
  async counts(groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db.query<{ group_id: string; members: number }>(
      `SELECT group_id, count(*)::integer AS members FROM contact_group_members
       WHERE group_id = ANY ($1::uuid[]) GROUP BY group_id`,
      [groupIds],
    );
    return new Map(rows.map(({ group_id, members }) => [group_id, members]));
  }

  /** Those of the groups that are of the project and kind, and whose members the organization chooses. */
  async chosen({ projectId, sandbox }: ProjectKind, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM contact_groups WHERE id = ANY ($1::uuid[]) AND project_id = $2 AND sandbox = $3 AND rules IS NULL`,
      [ids.filter(isId), projectId, sandbox],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Changes the name or the rules; a group whose members are chosen gets none.
   * @returns null if the project has no such group of this kind. @throws like {@link add}
   */
  async change(
    { projectId, sandbox }: ProjectKind,
    id: string,
    { name, rules }: GroupChanges,
    at: Date,
  ): Promise<ContactGroupRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ContactGroupRow>(
      `UPDATE contact_groups SET name = coalesce($4, name), updated_at = $6,
         rules = CASE WHEN rules IS NULL THEN NULL ELSE coalesce($5::jsonb, rules) END
       WHERE id = $1 AND project_id = $2 AND sandbox = $3 RETURNING *`,
      [id, projectId, sandbox, name ?? null, rules === undefined ? null : JSON.stringify(rules), at],
    );
    return row ?? null;
  }

  /** Its members stay contacts. @returns false if the project has no such group of this kind */
  async remove({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const rows = await this.db.query(
      `DELETE FROM contact_groups WHERE id = $1 AND project_id = $2 AND sandbox = $3 RETURNING id`,
      [id, projectId, sandbox],
    );
    return rows.length > 0;
  }

  /** Members of a group in the order of their contacts' creation, only those after `afterId`. */
  members(group: ContactGroupRow, afterId: string | null, limit: number): Promise<GroupMemberRow[]> {
    if (group.rules !== null) return this.#found(group, group.rules, afterId, limit);
    return this.db.query<GroupMemberRow>(
      `${MEMBERS} WHERE member.group_id = $1 AND ($2::uuid IS NULL OR member.contact_id > $2)
       ORDER BY member.contact_id LIMIT $3`,
      [group.id, afterId, limit],
    );
  }

  #found(
    group: ContactGroupRow,
    rules: SegmentRules,
    afterId: string | null,
    limit: number,
  ): Promise<GroupMemberRow[]> {
    const values: unknown[] = [group.project_id, group.sandbox, afterId, limit];
    const condition = segmentCondition(rules, (value) => `$${values.push(value)}`);
    return this.db.query<GroupMemberRow>(
      `SELECT contacts.id AS contact_id, ${SHOWN}, contacts.created_at AS added_at FROM contacts
       WHERE project_id = $1 AND sandbox = $2 AND ($3::uuid IS NULL OR id > $3) AND ${condition} ORDER BY id LIMIT $4`,
      values,
    );
  }

  /**
   * Adds contacts to a group, all or none; those that are in it stay.
   * @param max how many members a group may have
   * @returns how many are new
   * @throws GroupFull: nothing was added
   */
  addMembers(
    kind: ProjectKind,
    id: string,
    contactIds: readonly string[],
    at: Date,
    max: number,
  ): Promise<number | MembersRefused> {
    return this.db.transaction(async (tx) => {
      const group = await lockGroup(tx, kind, id);
      if (!group) return { refused: 'no_group' };
      if (group.rules !== null) return { refused: 'dynamic' };
      const known = await tx.query<{ id: string }>(
        // The lock keeps the contacts until they are members.
        `SELECT id FROM contacts WHERE id = ANY ($1::uuid[]) AND project_id = $2 AND sandbox = $3 ORDER BY id FOR KEY SHARE`,
        [contactIds, kind.projectId, kind.sandbox],
      );
      const ids = new Set(known.map((row) => row.id));
      const contactId = contactIds.find((one) => !ids.has(one));
      if (contactId !== undefined) return { refused: 'unknown', contactId };
      return insertMembers(tx, id, contactIds, at, max);
    });
  }

  /** @returns false if the project has no such group of this kind, or the contact is no member */
  async removeMember({ projectId, sandbox }: ProjectKind, id: string, contactId: string): Promise<boolean> {
    if (!isId(id) || !isId(contactId)) return false;
    const rows = await this.db.query(
      `DELETE FROM contact_group_members AS member USING contact_groups AS own
       WHERE own.id = member.group_id AND own.id = $1 AND own.project_id = $2 AND own.sandbox = $3
         AND member.contact_id = $4 RETURNING member.contact_id`,
      [id, projectId, sandbox, contactId],
    );
    return rows.length > 0;
  }
}

/** Two additions at the same time do not see each other's members: one waits. */
async function lockGroup(
  tx: Queryable,
  { projectId, sandbox }: ProjectKind,
  id: string,
): Promise<Pick<ContactGroupRow, 'rules'> | null> {
  if (!isId(id)) return null;
  const [group] = await tx.query<Pick<ContactGroupRow, 'rules'>>(
    `SELECT rules FROM contact_groups WHERE id = $1 AND project_id = $2 AND sandbox = $3 FOR UPDATE`,
    [id, projectId, sandbox],
  );
  return group ?? null;
}

async function insertMembers(
  tx: Queryable,
  groupId: string,
  contactIds: readonly string[],
  at: Date,
  max: number,
): Promise<number | MembersRefused> {
  const added = await tx.query(
    `INSERT INTO contact_group_members (group_id, contact_id, added_at)
     SELECT $1::uuid, id, $3::timestamptz FROM unnest($2::uuid[]) AS id ON CONFLICT DO NOTHING RETURNING 1`,
    [groupId, contactIds, at],
  );
  const [counted] = await tx.query<{ members: number }>(
    `SELECT count(*)::integer AS members FROM contact_group_members WHERE group_id = $1`,
    [groupId],
  );
  if ((counted?.members ?? 0) > max) throw new GroupFull();
  return added.length;
}

/** Rolls the addition back. */
export class GroupFull extends Error {
  override readonly name = 'GroupFull';
}
