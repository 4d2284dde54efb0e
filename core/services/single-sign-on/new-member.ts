import type { UserRow } from '../../data/rows.js';

/**
 * A member that an identity provider or a directory names: without a password, and without access until the rules of the
 * organization give a role. The owner of the domain vouches for the address.
 */
export function newMember(
  known: Pick<UserRow, 'id' | 'organization_id' | 'email' | 'name' | 'locale'>,
  at: Date,
): UserRow {
  return {
    ...known,
    password_hash: null,
    phone: null,
    phone_confirmed_at: null,
    email_confirmed_at: at,
    role: 'viewer',
    project_ids: [],
    agent: null,
    disabled_at: null,
    last_sign_in_at: null,
    created_at: at,
  };
}
