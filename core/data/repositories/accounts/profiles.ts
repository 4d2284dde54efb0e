import type { Sealed } from '../../../model/access/cipher.js';
import type { Database, Queryable } from '../../database.js';
import type { AccountKind, UserRow } from '../../rows.js';
import { addAccountMail } from '../mails/account-mails.js';
import { endResetLinks } from './reset-tokens.js';

/** The purposes of links to an address: the first one of a user, and one that replaces it. */
const CONFIRM_EMAIL = 'confirm_email';
const CHANGE_EMAIL = 'change_email';

/** A user with what its profile shows beside it. */
export interface ProfileRow extends UserRow {
  readonly organization_name: string;
  readonly account_kind: AccountKind;
  readonly second_factor_required: boolean;
  readonly has_totp: boolean;
  readonly passkeys: number;
  readonly recovery_codes: number;
  readonly pending_email: string | null;
  readonly pending_phone: string | null;
  readonly confirmed_at: Date | null;
  readonly second_factor: boolean;
  readonly impersonated_by: string | null;
}

/** A telephone number that waits for its code. */
export interface PendingPhone {
  readonly user_id: string;
  readonly phone: string;
  readonly verification_id: string;
  readonly project_id: string;
}

/** The project that pays for a code to a user's telephone. */
export interface PayingProject {
  readonly id: string;
  readonly main_number: string | null;
}

/** What users say about themselves: names, languages, addresses and numbers, and those that wait to be confirmed. */
export class Profiles {
  constructor(private readonly db: Database) {}

  async get(userId: string, sessionId: string, now: Date): Promise<ProfileRow | null> {
    const [row] = await this.db.query<ProfileRow>(
      `SELECT owner.*, organization.name AS organization_name, organization.account_kind,
         organization.second_factor_required,
         EXISTS (SELECT FROM totp_factors WHERE user_id = owner.id AND secret IS NOT NULL) AS has_totp,
         (SELECT count(*) FROM passkeys WHERE user_id = owner.id) AS passkeys,
         (SELECT count(*) FROM recovery_codes WHERE user_id = owner.id AND used_at IS NULL) AS recovery_codes,
         (SELECT data->>'email' FROM user_tokens
          WHERE user_id = owner.id AND purpose = '${CHANGE_EMAIL}' AND used_at IS NULL AND expires_at > $3
          ORDER BY created_at DESC LIMIT 1) AS pending_email,
         (SELECT phone FROM pending_phones WHERE user_id = owner.id) AS pending_phone,
         session.confirmed_at, session.second_factor, session.impersonated_by
       FROM users AS owner
       JOIN organizations AS organization ON organization.id = owner.organization_id
       JOIN sessions AS session ON session.user_id = owner.id AND session.id = $2
       WHERE owner.id = $1`,
      [userId, sessionId, now],
    );
    return row ?? null;
  }

  async change(
    userId: string,
    { name, locale }: { name: string | undefined; locale: string | undefined },
  ): Promise<void> {
    await this.db.query(`UPDATE users SET name = coalesce($2, name), locale = coalesce($3, locale) WHERE id = $1`, [
      userId,
      name ?? null,
      locale ?? null,
    ]);
  }

  async isTaken(email: string): Promise<boolean> {
    return (await this.db.query(`SELECT id FROM users WHERE email = $1`, [email])).length > 0;
  }

  /** Sends a link to the new address, which becomes the user's when the link is opened. Earlier links stop working. */
  async beginEmail(
    { id, name, locale }: Pick<UserRow, 'id' | 'name' | 'locale'>,
    { email, hash, link }: { readonly email: string; readonly hash: string; readonly link: Sealed },
    expiresAt: Date,
    at: Date,
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.cancelEmail(id, tx);
      await tx.query(
        `INSERT INTO user_tokens (hash, purpose, user_id, data, created_at, expires_at)
         VALUES ($1, '${CHANGE_EMAIL}', $2, $3::jsonb, $4, $5)`,
        [hash, id, JSON.stringify({ email }), at, expiresAt],
      );
      await addAccountMail(tx, { to: email, locale, kind: 'confirm_email', data: { name, link } }, at);
    });
  }

  async cancelEmail(userId: string, on: Queryable = this.db): Promise<void> {
    await on.query(`DELETE FROM user_tokens WHERE user_id = $1 AND purpose = '${CHANGE_EMAIL}' AND used_at IS NULL`, [
      userId,
    ]);
  }

  /**
   * The address that the link was sent to is the user's and confirmed. If it is a new one, the old one gets a mail, and
   * links to set a password that were sent there stop working.
   * @returns false if the link does not work. Violates `users_email` if another user got the address meanwhile
   */
  confirmEmail(hash: string, mask: (email: string) => string, at: Date): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [moved] = await tx.query<Pick<UserRow, 'id' | 'name' | 'locale' | 'email'> & { readonly old: string }>(
        `WITH used AS (
           UPDATE user_tokens SET used_at = $2
           WHERE hash = $1 AND purpose IN ('${CONFIRM_EMAIL}', '${CHANGE_EMAIL}') AND used_at IS NULL AND expires_at > $2
           RETURNING user_id, data->>'email' AS email
         ), before AS (
           SELECT id, email FROM users WHERE id = (SELECT user_id FROM used) AND disabled_at IS NULL FOR UPDATE
         )
         UPDATE users SET email = coalesce(used.email, users.email), email_confirmed_at = $2 FROM used, before WHERE users.id = before.id
         RETURNING users.id, users.name, users.locale, users.email, before.email AS old`,
        [hash, at],
      );
      if (moved === undefined) return false;
      const { id, name, locale, email, old } = moved;
      if (email === old) return true;
      await endResetLinks(tx, id);
      await addAccountMail(
        tx,
        { to: old, locale, kind: 'email_changed', data: { name, masked_email: mask(email) } },
        at,
      );
      return true;
    });
  }

  /** The oldest project that the user may use. */
  async payingProject({ organization_id, project_ids }: UserRow): Promise<PayingProject | null> {
    const [row] = await this.db.query<PayingProject>(
      `SELECT id, main_number FROM projects
       WHERE organization_id = $1 AND removed_at IS NULL AND ($2::uuid[] IS NULL OR id = ANY ($2)) ORDER BY id LIMIT 1`,
      [organization_id, project_ids],
    );
    return row ?? null;
  }

  async pendingPhone(userId: string): Promise<PendingPhone | null> {
    const [row] = await this.db.query<PendingPhone>(
      `SELECT user_id, phone, verification_id, project_id FROM pending_phones WHERE user_id = $1`,
      [userId],
    );
    return row ?? null;
  }

  async beginPhone(pending: PendingPhone, at: Date): Promise<void> {
    const { user_id, phone, verification_id, project_id } = pending;
    await this.db.query(
      `INSERT INTO pending_phones (user_id, phone, verification_id, project_id, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id) DO UPDATE SET phone = excluded.phone, verification_id = excluded.verification_id,
         project_id = excluded.project_id, created_at = excluded.created_at`,
      [user_id, phone, verification_id, project_id, at],
    );
  }

  /** The number whose code was entered becomes the user's. */
  async confirmPhone({ user_id, verification_id }: PendingPhone, at: Date): Promise<void> {
    await this.db.query(
      `WITH pending AS (DELETE FROM pending_phones WHERE user_id = $1 AND verification_id = $2 RETURNING phone)
       UPDATE users SET phone = pending.phone, phone_confirmed_at = $3 FROM pending WHERE users.id = $1`,
      [user_id, verification_id, at],
    );
  }

  async removePhone(userId: string): Promise<void> {
    await this.db.query(
      `WITH pending AS (DELETE FROM pending_phones WHERE user_id = $1)
       UPDATE users SET phone = NULL, phone_confirmed_at = NULL WHERE id = $1`,
      [userId],
    );
  }
}
