import type { Sealed } from '../../../model/access/cipher.js';
import type { Role } from '../../../model/access/roles.js';
import { newId } from '../../../model/ids.js';
import type { Queryable } from '../../database.js';

/**
 * What a mail to a person says, by kind. A link contains a token, so it is sealed: `cipher.seal(url)`, where the url has
 * the parameter `token`. Times are ISO 8601.
 */
export interface AccountMailData {
  readonly confirm_email: { readonly name: string; readonly link: Sealed };
  readonly reset_password: { readonly name: string; readonly link: Sealed };
  readonly invite: {
    readonly organization: string;
    /** The name of the person who invites. */
    readonly inviter: string;
    readonly role: Role;
    readonly link: Sealed;
  };
  readonly new_device: {
    readonly name: string;
    readonly ip: string;
    readonly user_agent: string;
    readonly at: string;
  };
  readonly session_reuse: { readonly name: string; readonly ip: string; readonly at: string };
  readonly password_changed: { readonly name: string; readonly at: string };
  readonly second_factor_changed: {
    readonly name: string;
    readonly change:
      | 'totp_added'
      | 'totp_removed'
      | 'passkey_added'
      | 'passkey_removed'
      | 'recovery_codes_renewed'
      | 'recovery_code_used';
    readonly at: string;
  };
  /** To the owner of an organization that an administrator created without a password for its owner. */
  readonly owner_created: { readonly name: string; readonly organization: string; readonly link: Sealed };
  readonly production_decided: {
    readonly organization: string;
    readonly decision: 'approved' | 'rejected';
    /** Null for an approval. */
    readonly reason: string | null;
  };
  /** To an address with which somebody signed up. */
  readonly signup: { readonly name: string; readonly link: Sealed };
  /** To a user with whose address somebody signed up. */
  readonly signup_known: { readonly name: string };
  /** To the previous address. */
  readonly email_changed: { readonly name: string; readonly masked_email: string };
}

export type AccountMailKind = keyof AccountMailData;

/** A mail to one person: the address, the language that stands first, and what it says. */
export interface AccountMail<K extends AccountMailKind> {
  readonly to: string;
  readonly locale: 'ar' | 'en';
  readonly kind: K;
  readonly data: AccountMailData[K];
}

/** Writes a mail to be sent; runs in the transaction of the change that it reports. */
export async function addAccountMail<K extends AccountMailKind>(
  tx: Queryable,
  { to, locale, kind, data }: AccountMail<K>,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO owner_mails (id, recipient, locale, kind, data, due_at, created_at) VALUES ($1, $2, $3, $4, $5::jsonb, $6, $6)`,
    [newId(), to, locale, kind, JSON.stringify(data), at],
  );
}
