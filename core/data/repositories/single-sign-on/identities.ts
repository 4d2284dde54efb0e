import type { Queryable } from '../../database.js';
import type { UserRow } from '../../rows.js';

/** A person of an identity provider. */
export interface SsoSubject {
  readonly organizationId: string;
  readonly issuer: string;
  readonly subject: string;
}

/** The user who this person was at the last sign-in. */
export async function userOfSubject(
  tx: Queryable,
  { organizationId, issuer, subject }: SsoSubject,
): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    `SELECT owner.* FROM sso_identities AS identity JOIN users AS owner ON owner.id = identity.user_id
     WHERE identity.organization_id = $1 AND identity.issuer = $2 AND identity.subject = $3`,
    [organizationId, issuer, subject],
  );
  return row ?? null;
}

/** Whether the user is somebody of this issuer already. */
export async function hasSubject(tx: Queryable, userId: string, issuer: string): Promise<boolean> {
  const rows = await tx.query(`SELECT 1 AS found FROM sso_identities WHERE user_id = $1 AND issuer = $2`, [
    userId,
    issuer,
  ]);
  return rows.length === 1;
}

/** From now on, or still, the person is this user. */
export async function linkSubject(
  tx: Queryable,
  { organizationId, issuer, subject }: SsoSubject,
  userId: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO sso_identities (organization_id, issuer, subject, user_id, created_at, last_used_at)
     VALUES ($1, $2, $3, $4, $5, $5)
     ON CONFLICT (organization_id, issuer, subject) DO UPDATE SET last_used_at = excluded.last_used_at`,
    [organizationId, issuer, subject, userId, at],
  );
}

/** Whether the user signs in through an identity provider, or a directory provisions it. */
export async function isManaged(on: Queryable, userId: string): Promise<boolean> {
  const rows = await on.query(
    `SELECT 1 AS found WHERE EXISTS (SELECT FROM sso_identities WHERE user_id = $1)
       OR EXISTS (SELECT FROM scim_users WHERE user_id = $1)`,
    [userId],
  );
  return rows.length === 1;
}
