import type { Database, Queryable } from '../../database.js';
import type { UserRow } from '../../rows.js';
import { addAccountMail } from '../mails/account-mails.js';
import type { Sealed } from '../../../model/access/cipher.js';

const PURPOSE = 'reset_password';

/** Links that set a new password. Only the newest of a user works. */
export class ResetTokens {
  constructor(private readonly db: Database) {}

  /** Makes a link and sends it to its user. */
  create(user: UserRow, hash: string, link: Sealed, expiresAt: Date, at: Date): Promise<void> {
    const { id, email, name, locale } = user;
    return this.db.transaction(async (tx) => {
      await endResetLinks(tx, id);
      await addToken(tx, id, hash, expiresAt, at);
      await addAccountMail(tx, { to: email, locale, kind: 'reset_password', data: { name, link } }, at);
    });
  }

  /** Makes the link with which the owner of a new organization chooses the first password, and sends it. */
  async welcome(
    tx: Queryable,
    { id, email, name, locale }: UserRow,
    organization: string,
    { hash, link, expiresAt }: { readonly hash: string; readonly link: Sealed; readonly expiresAt: Date },
    at: Date,
  ): Promise<void> {
    await addToken(tx, id, hash, expiresAt, at);
    await addAccountMail(tx, { to: email, locale, kind: 'owner_created', data: { name, organization, link } }, at);
  }

  /** Whose password the link sets; null if it does not work. */
  async userOf(hash: string, now: Date): Promise<UserRow | null> {
    const [row] = await this.db.query<UserRow>(
      `SELECT owner.* FROM user_tokens AS token JOIN users AS owner ON owner.id = token.user_id
       WHERE token.hash = $1 AND token.purpose = $2 AND token.used_at IS NULL AND token.expires_at > $3
         AND owner.disabled_at IS NULL`,
      [hash, PURPOSE, now],
    );
    return row ?? null;
  }

  /** Uses the link, which also shows that its user reads the mails to this address. @returns false if it does not work */
  async use(tx: Queryable, hash: string, at: Date): Promise<boolean> {
    const rows = await tx.query(
      `WITH used AS (
         UPDATE user_tokens SET used_at = $3
         WHERE hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3 RETURNING user_id
       )
       UPDATE users SET email_confirmed_at = coalesce(email_confirmed_at, $3) FROM used WHERE users.id = used.user_id
       RETURNING users.id`,
      [hash, PURPOSE, at],
    );
    return rows.length === 1;
  }
}

/** The links that were sent to the user do not work any more. */
export async function endResetLinks(tx: Queryable, userId: string): Promise<void> {
  await tx.query(`DELETE FROM user_tokens WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL`, [userId, PURPOSE]);
}

async function addToken(tx: Queryable, userId: string, hash: string, expiresAt: Date, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO user_tokens (hash, purpose, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
    [hash, PURPOSE, userId, at, expiresAt],
  );
}
