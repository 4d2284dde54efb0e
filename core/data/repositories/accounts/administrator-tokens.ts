import type { Database, Queryable } from '../../database.js';
import { administratorTokensOf } from '../../models/tables.js';
import type { AdministratorRow, AdministratorTokenRow } from '../../rows.js';
import { Joined } from './joined.js';

const ADMINISTRATOR = new Joined<AdministratorRow>('administrator', {
  id: true,
  email: true,
  name: true,
  password_hash: true,
  totp_secret: true,
  totp_offered: true,
  totp_step: true,
  disabled_at: true,
  last_sign_in_at: true,
  created_at: true,
});

const TOKEN = new Joined<AdministratorTokenRow>('token', {
  id: true,
  administrator_id: true,
  kind: true,
  name: true,
  prefix: true,
  hash: true,
  ip: true,
  created_at: true,
  last_used_at: true,
  expires_at: true,
  revoked_at: true,
});

/** Sessions of administrators, and their tokens for scripts. */
export class AdministratorTokens {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = administratorTokensOf(db);
  }

  create(row: AdministratorTokenRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Includes what is revoked or expired, which the caller rejects. */
  async findByHash(
    hash: string,
  ): Promise<{ readonly token: AdministratorTokenRow; readonly administrator: AdministratorRow } | null> {
    const [row] = await this.db.query(
      `SELECT ${TOKEN.columns}, ${ADMINISTRATOR.columns} FROM administrator_tokens AS token
       JOIN administrators AS administrator ON administrator.id = token.administrator_id WHERE token.hash = $1`,
      [hash],
      { prepared: true },
    );
    return row ? { token: TOKEN.rowIn(row), administrator: ADMINISTRATOR.rowIn(row) } : null;
  }

  /** Whether the administrator with this e-mail address, in lower case, lately had a session from this address. */
  async usedFrom(email: string, ip: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 AS used FROM administrator_tokens AS token
       JOIN administrators AS administrator ON administrator.id = token.administrator_id
       WHERE administrator.email = $1 AND token.ip = $2 AND token.kind = 'session' LIMIT 1`,
      [email, ip],
    );
    return rows.length === 1;
  }

  /** Oldest first, revoked ones included. */
  scripts(): Promise<AdministratorTokenRow[]> {
    return this.#table.find({ kind: 'script' }, ['id']);
  }

  get(id: string): Promise<AdministratorTokenRow | null> {
    return this.#table.findOne({ id });
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.#table.update({ id }, { last_used_at: at });
  }

  async revoke(id: string, at: Date): Promise<void> {
    await this.#table.update({ id, revoked_at: null }, { revoked_at: at });
  }

  /** Ends the sessions of an administrator. Tokens for scripts stay. @param except one that continues */
  async revokeSessions(administratorId: string, except: string, at: Date, on: Queryable): Promise<void> {
    await on.query(
      `UPDATE administrator_tokens SET revoked_at = $3
       WHERE administrator_id = $1 AND kind = 'session' AND revoked_at IS NULL AND id <> $2`,
      [administratorId, except, at],
    );
  }

  /** Deletes the sessions that ended before this time. */
  async removeEnded(before: Date, on: Queryable = this.db): Promise<void> {
    await on.query(`DELETE FROM administrator_tokens WHERE kind = 'session' AND expires_at < $1`, [before]);
  }
}
