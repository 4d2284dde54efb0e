import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { ContactGroupRow, GroupMemberRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';
import { OPTED_OUT, type ContactScope } from './contacts.js';

/** Why members were not added. */
export type MembersRefused =
  | { readonly refused: 'no_group' }
  /** The project has no such contact of this kind. */
  | { readonly refused: 'unknown'; readonly contactId: string };

const MEMBERS = `
  SELECT member.contact_id, contacts.phone, contacts.email, contacts.name_en, contacts.name_ar, contacts.language,
    ${OPTED_OUT}, member.added_at
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
        `INSERT INTO contact_groups (id, organization_id, project_id, sandbox, name, created_at, updated_at)
         SELECT $1::uuid, $2::uuid, $3::uuid, $4::boolean, $5::text, $6::timestamptz, $7::timestamptz
         WHERE (SELECT count(*) FROM contact_groups WHERE project_id = $3 AND sandbox = $4) < $8 RETURNING id`,
        [row.id, row.organization_id, row.project_id, row.sandbox, row.name, row.created_at, row.updated_at, max],
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

  /** How many members each of these groups has. */
  async counts(groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db.query<{ group_id: string; members: number }>(
      `SELECT group_id, count(*)::integer AS members FROM contact_group_members
       WHERE group_id = ANY ($1::uuid[]) GROUP BY group_id`,
      [groupIds],
    );
    return new Map(rows.map(({ group_id, members }) => [group_id, members]));
  }

  /** @returns null if the project has no such group of this kind. @throws like {@link add} */
  async rename(
    { projectId, sandbox }: ProjectKind,
    id: string,
    name: string,
    at: Date,
  ): Promise<ContactGroupRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ContactGroupRow>(
      `UPDATE contact_groups SET name = $4, updated_at = $5 WHERE id = $1 AND project_id = $2 AND sandbox = $3
       RETURNING *`,
      [id, projectId, sandbox, name, at],
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
  members(groupId: string, afterId: string | null, limit: number): Promise<GroupMemberRow[]> {
    return this.db.query<GroupMemberRow>(
      `${MEMBERS} WHERE member.group_id = $1 AND ($2::uuid IS NULL OR member.contact_id > $2)
       ORDER BY member.contact_id LIMIT $3`,
      [groupId, afterId, limit],
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
      if (!(await lockGroup(tx, kind, id))) return { refused: 'no_group' };
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
async function lockGroup(tx: Queryable, { projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const rows = await tx.query(
    `SELECT 1 FROM contact_groups WHERE id = $1 AND project_id = $2 AND sandbox = $3 FOR UPDATE`,
    [id, projectId, sandbox],
  );
  return rows.length > 0;
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
