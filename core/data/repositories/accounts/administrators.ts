import type { Database, Queryable } from '../../database.js';
import { administratorsOf } from '../../models/tables.js';
import type { AdministratorRow } from '../../rows.js';

/** Serialises the set-up, so that of two requests at once one makes the first administrator. */
const SETUP_LOCK = 4_871_002_986;

/** The people who run the installation. */
export class AdministratorTable {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = administratorsOf(db);
  }

  create(row: AdministratorRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Makes the first administrator, also when two try at the same moment. @returns false if there is one already */
  createFirst(row: AdministratorRow, also: (tx: Queryable) => Promise<void>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK]);
      if (await this.#isAny(tx)) return false;
      await this.#table.insert(row, tx);
      await also(tx);
      return true;
    });
  }

  isAny(): Promise<boolean> {
    return this.#isAny(this.db);
  }

  get(id: string): Promise<AdministratorRow | null> {
    return this.#table.findOne({ id });
  }

  /** @param email in lower case */
  findByEmail(email: string): Promise<AdministratorRow | null> {
    return this.#table.findOne({ email });
  }

  /** @param from the hash that the change is based on @returns false if another password was set meanwhile */
  async setPassword(id: string, from: string, to: string, tx: Queryable): Promise<boolean> {
    const rows = await tx.query(
      'UPDATE administrators SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING 1',
      [id, from, to],
    );
    return rows.length === 1;
  }

  async offerTotp(id: string, sealed: string): Promise<void> {
    await this.#table.update({ id }, { totp_offered: sealed });
  }

  /**
   * Puts the offered secret in force.
   * @param offered the sealed secret that the code belongs to @param step whose code was given
   * @returns false if another secret was offered since, or none is
   */
  async confirmTotp(id: string, offered: string, step: number): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE administrators SET totp_secret = totp_offered, totp_offered = NULL, totp_step = $3
       WHERE id = $1 AND totp_offered = $2 RETURNING 1`,
      [id, offered, step],
    );
    return rows.length === 1;
  }

  async removeTotp(id: string): Promise<void> {
    await this.#table.update({ id }, { totp_secret: null, totp_offered: null });
  }

  /** Marks the code of a time step as used. @returns false if it, or a later one, was used before */
  async useTotpStep(id: string, step: number): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE administrators SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2) RETURNING 1`,
      [id, step],
    );
    return rows.length === 1;
  }

  async signedIn(id: string, at: Date, on?: Queryable): Promise<void> {
    await this.#table.update({ id }, { last_sign_in_at: at }, on);
  }

  async #isAny(on: Queryable): Promise<boolean> {
    return (await on.query('SELECT 1 FROM administrators LIMIT 1')).length > 0;
  }
}
