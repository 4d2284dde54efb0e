import { hiddenColumns } from '../../../model/privacy/columns.js';
import type { Queryable } from '../../database.js';
import type { UserRow } from '../../rows.js';

/** What the platform holds of a member of an organization. */
export interface MemberTable {
  readonly category: string;
  /** The condition on a row `item` of the table. `$1`: the organization, `$2`: the member. */
  readonly match: string;
  /** What orders the rows: an expression, UUIDs by default. */
  readonly key: string;
  readonly keyType?: 'text';
  /** Further columns that the archive leaves out. */
  readonly without?: readonly string[];
}

const OF_USER = 'item.user_id = $2';
const EXTENSION = `(SELECT agent FROM users WHERE id = $2)`;
/** The projects of the member, null: all of the organization. */
const OWN_PROJECTS = `item.project_id IN (
  SELECT project.id FROM projects AS project JOIN users AS owner ON owner.id = $2
  WHERE project.organization_id = $1 AND (owner.project_ids IS NULL OR project.id = ANY (owner.project_ids)))`;

export const MEMBER_TABLES: readonly MemberTable[] = [
  { category: 'users', match: 'item.id = $2 AND item.organization_id = $1', key: 'item.id' },
  { category: 'sessions', match: OF_USER, key: 'item.id' },
  { category: 'totp_factors', match: OF_USER, key: 'item.user_id', without: ['last_step'] },
  { category: 'passkeys', match: OF_USER, key: 'item.id' },
  { category: 'pending_phones', match: OF_USER, key: 'item.user_id', without: ['verification_id'] },
  { category: 'identities', match: OF_USER, key: 'item.user_id' },
  { category: 'identity_verifications', match: OF_USER, key: 'item.id' },
  {
    category: 'sso_identities',
    match: OF_USER,
    key: `(item.issuer || ' ' || item.subject) COLLATE "C"`,
    keyType: 'text',
  },
  { category: 'scim_users', match: OF_USER, key: 'item.user_id' },
  {
    category: 'invites',
    match: 'item.organization_id = $1 AND item.email = (SELECT email FROM users WHERE id = $2)',
    key: 'item.id',
  },
  { category: 'agents', match: `item.agent = ${EXTENSION} AND ${OWN_PROJECTS}`, key: 'item.id' },
  {
    category: 'agent_activities',
    match: `item.agent = ${EXTENSION} AND ${OWN_PROJECTS}`,
    key: `(item.project_id || lpad(item.sequence::text, 20, '0') || item.kind) COLLATE "C"`,
    keyType: 'text',
  },
  {
    category: 'calls',
    match: `item.agent = ${EXTENSION} AND ${OWN_PROJECTS} AND item.system IS NOT TRUE`,
    key: 'item.id',
    // They are of the customer.
    without: ['customer_number', 'caller_id_number', 'caller_id_name', 'metadata', 'line_number', 'created_by_key'],
  },
  { category: 'audit_log', match: `item.organization_id = $1 AND item.user_id = $2`, key: 'item.id' },
];

export interface MemberRow {
  readonly key: string;
  readonly shown: object;
}

/** The next rows of a table about the member, in the order of their keys. */
export function memberRows(
  on: Queryable,
  { category, match, key, keyType, without = [] }: MemberTable,
  organizationId: string,
  userId: string,
  after: string | null,
  limit: number,
): Promise<MemberRow[]> {
  const hidden = [...hiddenColumns(category), ...without];
  return on.query<MemberRow>(
    `SELECT (${key})::text AS key, to_jsonb(item) - $5::text[] AS shown FROM ${category} AS item
     WHERE ${match} AND $1::uuid IS NOT NULL AND $2::uuid IS NOT NULL
       AND ($3::${keyType ?? 'uuid'} IS NULL OR ${key} > $3) ORDER BY ${key} LIMIT $4`,
    [organizationId, userId, after, limit, hidden],
  );
}

/** What the erasure of a member removed, by table, and how many rows of the audit log name the member. */
export interface ErasedMember {
  readonly erased: Readonly<Record<string, number>>;
  readonly anonymised: Readonly<Record<string, number>>;
  readonly audited: number;
}

/** The tables whose rows go with the user's own. */
const WITH_USER = [
  ...['sessions', 'user_tokens', 'totp_factors', 'recovery_codes', 'passkeys', 'pending_phones'],
  ...['identity_verifications', 'identities', 'sso_codes', 'sso_identities', 'scim_users', 'scim_group_members'],
] as const;

/** Erases a member in a transaction that holds the lock on the organization's members. */
export async function eraseMember(
  tx: Queryable,
  { id, organization_id, email, agent }: UserRow,
): Promise<ErasedMember> {
  const erased: Record<string, number> = {};
  for (const table of WITH_USER) {
    const [counted] = await tx.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM ${table} WHERE user_id = $1`,
      [id],
    );
    erased[table] = counted?.rows ?? 0;
  }
  const named = [organization_id, email];
  const invites = await tx.query(`DELETE FROM invites WHERE organization_id = $1 AND email = $2 RETURNING 1`, named);
  const mails = await tx.query(`DELETE FROM owner_mails WHERE recipient = $1 RETURNING 1`, [email]);
  const keys = await tx.query(`UPDATE api_keys SET created_by = NULL WHERE created_by = $1 RETURNING 1`, [id]);
  const agents = agent === null ? [] : await tx.query(NAMELESS_AGENTS, [organization_id, id]);
  const [audited] = await tx.query<{ rows: number }>(
    `SELECT count(*)::int AS rows FROM audit_log WHERE organization_id = $1 AND user_id = $2`,
    [organization_id, id],
  );
  await tx.query(`DELETE FROM users WHERE id = $1`, [id]);
  return {
    erased: { ...erased, invites: invites.length, owner_mails: mails.length, users: 1 },
    anonymised: { api_keys: keys.length, agents: agents.length },
    audited: audited?.rows ?? 0,
  };
}

/** The display name of a member's softphone is the member's, and so may be the numbers to which its calls are forwarded. */
const NAMELESS_AGENTS = `
  UPDATE agents AS item SET display_name = item.agent, forwarding = DEFAULT
  WHERE item.organization_id = $1 AND item.agent = ${EXTENSION} AND ${OWN_PROJECTS}
    AND (item.display_name <> item.agent OR jsonb_path_exists(item.forwarding, '$.*.type'))
  RETURNING 1`;
