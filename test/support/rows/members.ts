import type { Database } from '../../../core/data/database.js';
import { Sessions } from '../../../core/data/repositories/accounts/sessions.js';
import { Users } from '../../../core/data/repositories/accounts/users.js';
import type { SessionRow, UserRow } from '../../../core/data/rows.js';
import { hashSecret } from '../../../core/model/access/secrets.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { newId } from '../../../core/model/ids.js';

/** A user with a session. */
export interface TestMember {
  readonly user: UserRow;
  readonly sessionId: string;
  /** The access token of the session. */
  readonly token: string;
}

const DAY_MS = 86_400_000;

/** A user of the organization who has confirmed the address: an owner without a password, unless said otherwise. */
export function userRow(organizationId: string, wanted: Partial<UserRow> = {}, now = new Date()): UserRow {
  const id = newId();
  return {
    id,
    organization_id: organizationId,
    email: `${id}@example.com`,
    name: 'Reem',
    password_hash: null,
    locale: 'en',
    phone: null,
    phone_confirmed_at: null,
    email_confirmed_at: now,
    role: 'owner',
    project_ids: null,
    agent: null,
    disabled_at: null,
    last_sign_in_at: null,
    created_at: now,
    ...wanted,
  };
}

/** Adds a user of the organization, an owner unless said otherwise, with a session that was confirmed just now. */
export async function addMember(
  db: Database,
  organizationId: string,
  wanted: Partial<UserRow> = {},
  session: Partial<SessionRow> = {},
  now = new Date(),
): Promise<TestMember> {
  const expires = new Date(now.getTime() + DAY_MS);
  const user = userRow(organizationId, wanted, now);
  const row: SessionRow = {
    id: newId(),
    user_id: user.id,
    organization_id: organizationId,
    client: 'other',
    ip: '127.0.0.1',
    user_agent: 'test',
    created_at: now,
    last_used_at: now,
    expires_at: expires,
    confirmed_at: now,
    second_factor: false,
    impersonated_by: null,
    revoked_at: null,
    revoked_reason: null,
    ...session,
  };
  const token = generateToken('access');
  const next = {
    accessHash: hashSecret(token),
    refreshHash: hashSecret(generateToken('refresh')),
    accessExpiresAt: expires,
  };
  await db.transaction(async (tx) => {
    await new Users(db).create(user, tx);
    await new Sessions(db).create(row, next, tx);
  });
  return { user, sessionId: row.id, token };
}
