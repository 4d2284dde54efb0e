import type { Condition } from '../../../model/scim/filter.js';
import { isId } from '../../../model/ids.js';
import type { Queryable } from '../../database.js';
import type { ScimUserRow, UserRow } from '../../rows.js';
import { Joined } from '../accounts/joined.js';
import { JOINED_USER } from '../accounts/users.js';

/** A member with what the directory says of it; null if it never said anything. */
export interface DirectoryUser {
  readonly user: UserRow;
  readonly scim: ScimUserRow | null;
  readonly groups: readonly GroupName[];
}

export interface GroupName {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
}

const JOINED_SCIM = new Joined<ScimUserRow>('said', {
  user_id: true,
  organization_id: true,
  user_name: true,
  external_id: true,
  document: true,
  active: true,
  admitted: true,
  held_since: true,
  created_at: true,
  updated_at: true,
});

const GROUPS = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', g.id, 'display_name', g.display_name, 'external_id', g.external_id) ORDER BY g.id)
  FROM scim_group_members AS m JOIN scim_groups AS g ON g.id = m.group_id WHERE m.user_id = owner.id
), '[]') AS held_groups`;
const FROM = `FROM users AS owner LEFT JOIN scim_users AS said ON said.user_id = owner.id`;
const SELECT = `SELECT ${JOINED_USER.columns}, ${JOINED_SCIM.columns}, ${GROUPS} ${FROM}`;

/** What directories may ask for, and the SQL of it. Texts are compared in any case, IDs of directories are not. */
const ASKED: Readonly<Record<string, (parameter: string) => string>> = {
  id: (value) => `owner.id::text = lower(${value})`,
  userName: (value) => `lower(coalesce(said.user_name, owner.email)) = lower(${value})`,
  externalId: (value) => `said.external_id = ${value}`,
  'emails.value': (value) => `owner.email = lower(${value})`,
  active: (value) => `coalesce(said.active, owner.disabled_at IS NULL)::text = lower(${value})`,
};
export const ASKED_OF_USERS = Object.keys(ASKED);

/** One page of the members of an organization, oldest first, and how many there are on all pages. */
export async function pageOfUsers(
  db: Queryable,
  organizationId: string,
  conditions: readonly Condition[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly users: DirectoryUser[]; readonly total: number }> {
  const where = conditions.map(
    ({ attribute }, index) => ` AND ${ASKED[attribute]?.(`$${index + 2}::text`) ?? 'false'}`,
  );
  const values = [organizationId, ...conditions.map(({ value }) => String(value))];
  const scope = `WHERE owner.organization_id = $1${where.join('')}`;
  const [counted] = await db.query<{ total: number }>(`SELECT count(*) AS total ${FROM} ${scope}`, values);
  const last = values.length;
  const rows =
    limit === 0
      ? []
      : await db.query(`${SELECT} ${scope} ORDER BY owner.id OFFSET $${last + 1} LIMIT $${last + 2}`, [
          ...values,
          offset,
          limit,
        ]);
  return { users: rows.map(userIn), total: counted?.total ?? 0 };
}

/** Null for a malformed id, and for a user of another organization. */
export async function directoryUser(on: Queryable, organizationId: string, id: string): Promise<DirectoryUser | null> {
  if (!isId(id)) return null;
  const [row] = await on.query(`${SELECT} WHERE owner.organization_id = $1 AND owner.id = $2`, [organizationId, id]);
  return row === undefined ? null : userIn(row);
}

/** These members, or all that the directory provisions. @param ids null: all */
export async function directoryUsers(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[] | null,
): Promise<DirectoryUser[]> {
  const rows = await tx.query(
    `${SELECT} WHERE owner.organization_id = $1
       AND CASE WHEN $2::uuid[] IS NULL THEN said.user_id IS NOT NULL ELSE owner.id = ANY ($2) END ORDER BY owner.id`,
    [organizationId, ids],
  );
  return rows.map(userIn);
}

/** Stores what the directory says. Violates `scim_users_name` if another member has the name. */
export async function putScimUser(tx: Queryable, row: ScimUserRow): Promise<void> {
  await tx.query(
    `INSERT INTO scim_users (user_id, organization_id, user_name, external_id, document, active, admitted, held_since,
       created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)
     ON CONFLICT (user_id) DO UPDATE SET user_name = excluded.user_name, external_id = excluded.external_id,
       document = excluded.document, active = excluded.active, admitted = excluded.admitted,
       held_since = excluded.held_since, updated_at = excluded.updated_at`,
    [
      ...[row.user_id, row.organization_id, row.user_name, row.external_id, JSON.stringify(row.document), row.active],
      ...[row.admitted, row.held_since, row.created_at, row.updated_at],
    ],
  );
}

/** What the directory writes into the profile. Violates `users_email` if another user has the address. */
export async function setProfile(
  tx: Queryable,
  { id, email, name, locale }: Pick<UserRow, 'id' | 'email' | 'name' | 'locale'>,
  at: Date,
): Promise<void> {
  await tx.query(
    `UPDATE users SET email = $2, name = $3, locale = $4,
       email_confirmed_at = CASE WHEN email = $2 THEN coalesce(email_confirmed_at, $5) ELSE $5 END
     WHERE id = $1`,
    [id, email, name, locale, at],
  );
}

/**
 * An administrator of the installation has decided whether the user may sign in: what the directory says later does not
 * change that.
 */
export async function releaseHold(tx: Queryable, userId: string): Promise<void> {
  await tx.query(`UPDATE scim_users SET held_since = NULL WHERE user_id = $1`, [userId]);
}

/** Ends the API keys that the user made. */
export async function revokeKeysOf(tx: Queryable, userId: string, at: Date): Promise<void> {
  await tx.query(
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), kept_secret = NULL, kept_at = NULL WHERE created_by = $1`,
    [userId, at],
  );
}

function userIn(row: object): DirectoryUser {
  const { held_groups: groups } = row as { readonly held_groups: readonly GroupName[] };
  const scim = JOINED_SCIM.rowIn(row);
  // Without what a directory said, every column of it is null.
  return { user: JOINED_USER.rowIn(row), scim: (scim.user_id as string | null) === null ? null : scim, groups };
}
