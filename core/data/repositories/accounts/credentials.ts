import type { Database, Queryable } from '../../database.js';
import type { UserRow } from '../../rows.js';
import { addAccountMail, type AccountMailData } from '../mails/account-mails.js';
import { endResetLinks } from './reset-tokens.js';
import { Sessions } from './sessions.js';

export type SecondFactorChange = AccountMailData['second_factor_changed']['change'];

/** How recently, and with what, the user of a session proved who it is. */
export interface SessionProof {
  readonly confirmed_at: Date | null;
  readonly second_factor: boolean;
}

/** Passwords of users, and the proofs of their sessions. What changes is reported to the user by mail. */
export class Credentials {
  readonly #sessions;

  constructor(private readonly db: Database) {
    this.#sessions = new Sessions(db);
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  async userOf(id: string, on: Queryable = this.db): Promise<UserRow | null> {
    const [row] = await on.query<UserRow>(`SELECT * FROM users WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** A user who may sign in. @param email in lower case */
  async userByEmail(email: string): Promise<UserRow | null> {
    const [row] = await this.db.query<UserRow>(`SELECT * FROM users WHERE email = $1 AND disabled_at IS NULL`, [email]);
    return row ?? null;
  }

  /**
   * Sets a password, ends the user's other sessions and the links to set another password.
   * @param from the hash that the change is based on
   * @param keptSession null: every session ends
   * @param inside what else must succeed in the same transaction
   * @returns false, with nothing changed, if another password was set meanwhile or `inside` returned false
   */
  async setPassword(
    { id, email, name, locale }: Pick<UserRow, 'id' | 'email' | 'name' | 'locale'>,
    {
      from,
      to,
      keptSession,
    }: { readonly from: string | null; readonly to: string; readonly keptSession: string | null },
    at: Date,
    inside: (tx: Queryable) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<boolean> {
    try {
      await this.db.transaction(async (tx) => {
        const changed = await tx.query(
          `UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2 RETURNING id`,
          [id, from, to],
        );
        if (changed.length === 0 || !(await inside(tx))) throw new Outdated();
        await this.#sessions.revokeAll(id, keptSession, 'password_changed', at, tx);
        await endResetLinks(tx, id);
        const data = { name, at: at.toISOString() };
        await addAccountMail(tx, { to: email, locale, kind: 'password_changed', data }, at);
      });
      return true;
    } catch (error) {
      if (error instanceof Outdated) return false;
      throw error;
    }
  }

  async proofOf(sessionId: string): Promise<SessionProof | null> {
    const [row] = await this.db.query<SessionProof>(
      `SELECT confirmed_at, second_factor FROM sessions WHERE id = $1 AND revoked_at IS NULL`,
      [sessionId],
    );
    return row ?? null;
  }

  /** Records that the user of the session proved who it is; a second factor stays known. */
  async prove(sessionId: string, at: Date, withSecondFactor: boolean, on: Queryable = this.db): Promise<void> {
    await on.query(
      `UPDATE sessions SET confirmed_at = $2, second_factor = second_factor OR $3 WHERE id = $1 AND revoked_at IS NULL`,
      [sessionId, at, withSecondFactor],
    );
  }

  /** Reports a change of the user's second factors by mail. */
  async reportSecondFactor(tx: Queryable, userId: string, change: SecondFactorChange, at: Date): Promise<void> {
    const user = await this.userOf(userId, tx);
    if (user === null) return;
    const { email: to, name, locale } = user;
    const data = { name, change, at: at.toISOString() };
    await addAccountMail(tx, { to, locale, kind: 'second_factor_changed', data }, at);
  }
}

/** Rolls a change back that is based on what is no longer true. */
class Outdated extends Error {}
