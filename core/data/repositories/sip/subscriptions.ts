import type { SipPackage } from '../../../model/sip-edge.js';
import type { Database } from '../../database.js';
import type { SipSubscriptionRow } from '../../rows.js';

const VALID = 'expires_at > clock_timestamp()';
/** Longer than a request is repeated (timer F of RFC 3261): the process that sent it is gone. */
const GIVEN_UP = `unanswered_since < clock_timestamp() - interval '40 seconds'`;

/** What a refresh changes. */
export type SipRefresh = Pick<SipSubscriptionRow, 'id' | 'call_id' | 'contact' | 'remote_cseq' | 'expires_at'>;

/** Subscriptions of phones at the SIP edge. */
export class SipSubscriptions {
  constructor(private readonly db: Database) {}

  /**
   * Adds a subscription. One that its phone asks for again, without a dialog, keeps its id and its own side.
   * @param most as many may a softphone have
   * @returns as it is stored; null if the softphone has too many
   */
  async add(row: SipSubscriptionRow, most: number): Promise<SipSubscriptionRow | null> {
    const [stored] = await this.db.query<SipSubscriptionRow>(
      `INSERT INTO sip_subscriptions (id, aor, target, package, event, call_id, local, remote, contact, flow, routes, hop_host,
         hop_port, remote_cseq, local_cseq, version, state, unanswered_since, expires_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19
       WHERE (SELECT count(*) FROM sip_subscriptions WHERE aor = $2 AND ${VALID}) < $20
       ON CONFLICT (call_id, remote, target, package) DO UPDATE SET
         aor = excluded.aor, event = excluded.event, contact = excluded.contact, flow = excluded.flow,
         routes = excluded.routes, hop_host = excluded.hop_host, hop_port = excluded.hop_port,
         remote_cseq = excluded.remote_cseq, state = NULL, expires_at = excluded.expires_at
       RETURNING *`,
      [
        ...[
          row.id,
          row.aor,
          row.target,
          row.package,
          row.event,
          row.call_id,
          row.local,
          row.remote,
          row.contact,
          row.flow,
        ],
        ...[row.routes, row.hop_host, row.hop_port, row.remote_cseq, row.local_cseq, row.version, row.state],
        ...[row.unanswered_since, row.expires_at, most],
      ],
    );
    return stored ?? null;
  }

  /**
   * Prolongs a subscription, whose state is then sent again (RFC 6665 §4.2.1.2).
   * @returns false if there is none, or the request is older than the last one; a repetition is not
   */
  async refresh({ id, call_id, contact, remote_cseq, expires_at }: SipRefresh): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE sip_subscriptions SET contact = $3, remote_cseq = $4, expires_at = $5, state = NULL
       WHERE id = $1 AND call_id = $2 AND remote_cseq <= $4 AND ${VALID} RETURNING id`,
      [id, call_id, contact, remote_cseq, expires_at],
    );
    return rows.length > 0;
  }

  /** @returns the subscription, with the number of its last notification, which is due */
  async remove(id: string): Promise<SipSubscriptionRow | null> {
    const [row] = await this.db.query<SipSubscriptionRow>(`DELETE FROM sip_subscriptions WHERE id = $1 RETURNING *`, [
      id,
    ]);
    return row ? { ...row, local_cseq: row.local_cseq + 1, version: row.version + 1 } : null;
  }

  /** Deletes those whose time has passed. @returns like {@link remove} */
  async removeExpired(): Promise<SipSubscriptionRow[]> {
    const rows = await this.db.query<SipSubscriptionRow>(
      `DELETE FROM sip_subscriptions WHERE NOT ${VALID} RETURNING *`,
    );
    return rows.map((row) => ({ ...row, local_cseq: row.local_cseq + 1, version: row.version + 1 }));
  }

  /** The softphones whose state somebody watches. */
  async targets(ofPackage: SipPackage): Promise<string[]> {
    const rows = await this.db.query<{ target: string }>(
      `SELECT DISTINCT target FROM sip_subscriptions WHERE package = $1 AND ${VALID}`,
      [ofPackage],
    );
    return rows.map(({ target }) => target);
  }

  /** Takes the subscriptions that show something else than whether their targets are in calls now. */
  takeChangedLamps(): Promise<SipSubscriptionRow[]> {
    return this.#take(
      'dialog',
      `SELECT legs.endpoint->>'aor' AS target, CASE
           WHEN bool_or(legs.status = 'answered') THEN 'confirmed'
           WHEN bool_or(legs.role = 'customer' OR legs.role = 'agent' AND calls.program->>'type' = 'dial_out')
             THEN 'early initiator'
           ELSE 'early recipient' END AS state
         FROM legs JOIN calls ON calls.id = legs.call_id
         WHERE legs.status <> 'ended' AND NOT calls.sandbox AND legs.endpoint->>'aor' IN (
           SELECT target FROM sip_subscriptions WHERE package = 'dialog' AND ${VALID}
         )
         GROUP BY 1`,
      [],
    );
  }

  /** Takes the subscriptions that show other counts. @param counts by AOR, as `fresh/heard` */
  takeChangedMessages(counts: ReadonlyMap<string, string>): Promise<SipSubscriptionRow[]> {
    return this.#take('message-summary', `SELECT * FROM unnest($1::text[], $2::text[]) AS given (target, state)`, [
      [...counts.keys()],
      [...counts.values()],
    ]);
  }

  /**
   * Notes as sent what is due, in one statement, so that nothing is sent twice. A notification that was not answered,
   * because its process ended, is due again.
   * @param states a statement with the columns `target` and `state`
   */
  #take(ofPackage: SipPackage, states: string, values: readonly unknown[]): Promise<SipSubscriptionRow[]> {
    const idle = ofPackage === 'dialog' ? 'terminated' : '0/0';
    return this.db.query<SipSubscriptionRow>(
      `WITH present AS (${states}), due AS (
         SELECT sub.id, coalesce(present.state, '${idle}') AS state
         FROM sip_subscriptions AS sub LEFT JOIN present ON present.target = sub.target
         WHERE sub.package = '${ofPackage}' AND sub.${VALID}
           AND (sub.state IS DISTINCT FROM coalesce(present.state, '${idle}') OR sub.${GIVEN_UP})
         FOR UPDATE OF sub SKIP LOCKED
       )
       UPDATE sip_subscriptions AS sub SET state = due.state, version = version + 1, local_cseq = local_cseq + 1,
         unanswered_since = clock_timestamp()
       FROM due WHERE sub.id = due.id RETURNING sub.*`,
      values,
    );
  }

  /** Notes that a notification was answered. */
  async answered({ id, local_cseq }: Pick<SipSubscriptionRow, 'id' | 'local_cseq'>): Promise<void> {
    await this.db.query(`UPDATE sip_subscriptions SET unanswered_since = NULL WHERE id = $1 AND local_cseq = $2`, [
      id,
      local_cseq,
    ]);
  }
}
