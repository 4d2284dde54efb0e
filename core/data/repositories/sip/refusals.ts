import type { Database } from '../../database.js';
import type { SipRefusalRow } from '../../rows.js';

/** For how long it is kept. */
const KEPT = `interval '30 days'`;

/** How often the SIP edge refused which source. */
export class SipRefusals {
  constructor(private readonly db: Database) {}

  /** Adds to what is counted. */
  async add(rows: readonly SipRefusalRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.db.query(
      `INSERT INTO sip_refusals AS known (hour, reason, source, country, requests, last_at)
       SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
       ON CONFLICT (hour, reason, source) DO UPDATE SET
         requests = known.requests + excluded.requests, last_at = greatest(known.last_at, excluded.last_at)`,
      [
        rows.map(({ hour }) => hour),
        rows.map(({ reason }) => reason),
        rows.map(({ source }) => source),
        rows.map(({ country }) => country),
        rows.map(({ requests }) => requests),
        rows.map(({ last_at }) => last_at),
      ],
    );
  }

  /** The last ones first. */
  latest(limit: number): Promise<SipRefusalRow[]> {
    return this.db.query<SipRefusalRow>(`SELECT * FROM sip_refusals ORDER BY last_at DESC, source, reason LIMIT $1`, [
      limit,
    ]);
  }

  async removeOld(): Promise<void> {
    await this.db.query(`DELETE FROM sip_refusals WHERE hour < clock_timestamp() - ${KEPT}`);
  }
}
