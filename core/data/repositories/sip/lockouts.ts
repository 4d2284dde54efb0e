import type { Database } from '../../database.js';
import type { SipLockoutRow } from '../../rows.js';

/** For how long the next lockout of a subject still counts as one in a row. */
const REMEMBERED = `interval '1 day'`;

/** Who is locked out of the SIP edge. */
export class SipLockouts {
  constructor(private readonly db: Database) {}

  /**
   * Locks the subject out, unless it already is. Each time in a row lasts twice as long as the one before.
   * @param firstSeconds how long the first time lasts
   * @param longestSeconds how long a time lasts at most
   * @returns the lockout that holds now; `is_new`: it did not hold before
   */
  async lock(
    { kind, subject, reason }: Pick<SipLockoutRow, 'kind' | 'subject' | 'reason'>,
    firstSeconds: number,
    longestSeconds: number,
  ): Promise<SipLockoutRow & { readonly is_new: boolean }> {
    const [row] = await this.db.query<SipLockoutRow>(
      `INSERT INTO sip_lockouts AS old (kind, subject, reason, times, locked_at, locked_until)
       VALUES ($1, $2, $3, 1, clock_timestamp(), clock_timestamp() + make_interval(secs => least($4::float, $5::float)))
       ON CONFLICT (kind, subject) DO UPDATE SET
         reason = excluded.reason,
         times = CASE
           WHEN old.locked_until > clock_timestamp() - ${REMEMBERED} THEN least(old.times + 1, 30)
           ELSE 1 END,
         locked_at = clock_timestamp(),
         locked_until = CASE
           WHEN old.locked_until > clock_timestamp() - ${REMEMBERED}
             THEN clock_timestamp() + make_interval(secs => least($4::float * power(2, least(old.times, 30)), $5::float))
           ELSE excluded.locked_until END
       WHERE old.locked_until <= clock_timestamp()
       RETURNING *`,
      [kind, subject, reason, firstSeconds, longestSeconds],
    );
    if (row) return { ...row, is_new: true };
    const [held] = await this.db.query<SipLockoutRow>(`SELECT * FROM sip_lockouts WHERE kind = $1 AND subject = $2`, [
      kind,
      subject,
    ]);
    // Otherwise it was released in the meantime.
    return held ? { ...held, is_new: false } : this.lock({ kind, subject, reason }, firstSeconds, longestSeconds);
  }

  /** The lockouts that hold now, the last ones first. */
  current(limit: number): Promise<SipLockoutRow[]> {
    return this.db.query<SipLockoutRow>(
      `SELECT * FROM sip_lockouts WHERE locked_until > clock_timestamp() ORDER BY locked_at DESC, kind, subject LIMIT $1`,
      [limit],
    );
  }

  /** Forgets the subject. @returns false if it was not locked out */
  async release(subject: string): Promise<boolean> {
    const rows = await this.db.query<{ held: boolean }>(
      `DELETE FROM sip_lockouts WHERE subject = $1 RETURNING locked_until > clock_timestamp() AS held`,
      [subject],
    );
    return rows.some(({ held }) => held);
  }

  /** Deletes the lockouts that no longer make the next one longer. */
  async removeForgotten(): Promise<void> {
    await this.db.query(`DELETE FROM sip_lockouts WHERE locked_until < clock_timestamp() - ${REMEMBERED}`);
  }
}
