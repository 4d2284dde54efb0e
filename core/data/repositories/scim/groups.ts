import { isId } from '../../../model/ids.js';
import type { Condition } from '../../../model/scim/filter.js';
import type { Queryable } from '../../database.js';
import type { ScimGroupRow } from '../../rows.js';

/** A group with its members. */
export interface DirectoryGroup extends ScimGroupRow {
  readonly members: readonly { readonly id: string; readonly name: string }[];
}

const MEMBERS = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name) ORDER BY u.id)
  FROM scim_group_members AS m JOIN users AS u ON u.id = m.user_id WHERE m.group_id = held.id
), '[]') AS members`;

const ASKED: Readonly<Record<string, (parameter: string) => string>> = {
  id: (value) => `held.id::text = lower(${value})`,
  displayName: (value) => `lower(held.display_name) = lower(${value})`,
  externalId: (value) => `held.external_id = ${value}`,
  members: (value) => memberIs(value),
  'members.value': (value) => memberIs(value),
};
export const ASKED_OF_GROUPS = Object.keys(ASKED);

function memberIs(value: string): string {
  return `EXISTS (SELECT FROM scim_group_members AS m WHERE m.group_id = held.id AND m.user_id::text = lower(${value}))`;
}

/** One page of the groups of an organization, oldest first, and how many there are on all pages. */
export async function pageOfGroups(
  db: Queryable,
  organizationId: string,
  conditions: readonly Condition[],
  { offset, limit, withMembers }: { readonly offset: number; readonly limit: number; readonly withMembers: boolean },
): Promise<{ readonly groups: DirectoryGroup[]; readonly total: number }> {
  const where = conditions.map(
    ({ attribute }, index) => ` AND ${ASKED[attribute]?.(`$${index + 2}::text`) ?? 'false'}`,
  );
  const values = [organizationId, ...conditions.map(({ value }) => String(value))];
  const scope = `FROM scim_groups AS held WHERE held.organization_id = $1${where.join('')}`;
  const [counted] = await db.query<{ total: number }>(`SELECT count(*) AS total ${scope}`, values);
  const last = values.length;
  const groups =
    limit === 0
      ? []
      : await db.query<DirectoryGroup>(
          `SELECT held.*, ${withMembers ? MEMBERS : `'[]'::jsonb AS members`} ${scope}
           ORDER BY held.id OFFSET $${last + 1} LIMIT $${last + 2}`,
          [...values, offset, limit],
        );
  return { groups, total: counted?.total ?? 0 };
}

/** Null for a malformed id, and for a group of another organization. */
export async function directoryGroup(
  on: Queryable,
  organizationId: string,
  id: string,
): Promise<DirectoryGroup | null> {
  if (!isId(id)) return null;
  const [row] = await on.query<DirectoryGroup>(
    `SELECT held.*, ${MEMBERS} FROM scim_groups AS held WHERE held.organization_id = $1 AND held.id = $2`,
    [organizationId, id],
  );
  return row ?? null;
}

/** Whether the directory provisions groups. */
export async function hasGroups(on: Queryable, organizationId: string): Promise<boolean> {
  const rows = await on.query(`SELECT 1 AS found FROM scim_groups WHERE organization_id = $1 LIMIT 1`, [
    organizationId,
  ]);
  return rows.length === 1;
}

/** Stores a group. Violates `scim_groups_name` if another one has the name. */
export async function putScimGroup(tx: Queryable, row: ScimGroupRow): Promise<void> {
  await tx.query(
    `INSERT INTO scim_groups (id, organization_id, display_name, external_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, external_id = excluded.external_id,
       updated_at = excluded.updated_at`,
    [row.id, row.organization_id, row.display_name, row.external_id, row.created_at, row.updated_at],
  );
}

/** Makes these the members of the group. @returns false, with nothing changed, if one is no member of the organization */
export async function setGroupMembers(
  tx: Queryable,
  { id, organization_id }: Pick<ScimGroupRow, 'id' | 'organization_id'>,
  members: readonly string[],
): Promise<boolean> {
  const [known] = await tx.query<{ count: number }>(
    `SELECT count(*) AS count FROM users WHERE organization_id = $1 AND id = ANY ($2::uuid[])`,
    [organization_id, members],
  );
  if (known?.count !== members.length) return false;
  await tx.query(`DELETE FROM scim_group_members WHERE group_id = $1 AND user_id <> ALL ($2::uuid[])`, [id, members]);
  await tx.query(
    `INSERT INTO scim_group_members (group_id, user_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
    [id, members],
  );
  return true;
}

export async function removeScimGroup(tx: Queryable, id: string): Promise<void> {
  await tx.query(`DELETE FROM scim_groups WHERE id = $1`, [id]);
}
