import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { challengesOf } from '../../models/tables.js';
import type { CallRow, ChallengeEnd, ChallengeRow } from '../../rows.js';
import type { CallScope } from '../calls/calls.js';

/** A challenge with the state of its call; all null before the call is placed. */
export type ChallengeView = ChallengeRow & {
  readonly call_status: CallRow['status'] | null;
  readonly call_answered_at: Date | null;
  readonly call_ended_at: Date | null;
  readonly call_q850: number | null;
};

const SEEN = `
  SELECT challenge.*, call.status AS call_status, call.answered_at AS call_answered_at, call.ended_at AS call_ended_at,
    call.hangup_q850 AS call_q850
  FROM voice_auth_challenges AS challenge LEFT JOIN calls AS call ON call.id = challenge.call_id`;

export class Challenges {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = challengesOf(db);
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  create(row: ChallengeRow): Promise<void> {
    return this.#table.insert(row);
  }

  async setCall(id: string, callId: string): Promise<void> {
    await this.#table.update({ id }, { call_id: callId });
  }

  async remove(id: string): Promise<void> {
    await this.#table.remove({ id });
  }

  /** Null for a malformed id and for a challenge outside the scope. */
  async get(scope: CallScope, id: string): Promise<ChallengeView | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ChallengeView>(
      `${SEEN} WHERE challenge.id = $1 AND challenge.project_id = $2 AND (challenge.sandbox OR NOT $3)`,
      [id, scope.projectId, scope.sandboxOnly],
    );
    return row ?? null;
  }

  /** Any challenge, without a scope; for its call. */
  find(id: string): Promise<ChallengeRow | null> {
    return this.#table.findOne({ id });
  }

  /** The challenge created by a request of this key, or null. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<ChallengeView | null> {
    const [row] = await this.db.query<ChallengeView>(
      `${SEEN} WHERE challenge.request_id = $3 AND challenge.project_id = $1 AND challenge.created_by_key = $2
       ORDER BY challenge.id DESC LIMIT 1`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /**
   * Completes a pending challenge.
   * @param inTimeAt requires that it has not expired by then; null skips the check
   * @returns null if it was already complete or has expired
   */
  async complete(
    on: Queryable,
    id: string,
    end: ChallengeEnd,
    now: Date,
    inTimeAt: Date | null,
  ): Promise<ChallengeRow | null> {
    const [row] = await on.query<ChallengeRow>(
      `UPDATE voice_auth_challenges SET state = $2, completed_at = $3
       WHERE id = $1 AND state = 'pending' AND ($4::timestamptz IS NULL OR expires_at > $4)
       RETURNING *`,
      [id, end, now, inTimeAt],
    );
    return row ?? null;
  }

  /**
   * Locks up to `limit` pending challenges that have expired or whose call is over, skipping rows
   * locked by other processes.
   */
  due(on: Queryable, now: Date, limit: number): Promise<ChallengeView[]> {
    return on.query<ChallengeView>(
      `${SEEN}
       WHERE challenge.state = 'pending' AND (challenge.expires_at <= $1 OR call.ended_at IS NOT NULL)
       ORDER BY challenge.expires_at LIMIT $2 FOR UPDATE OF challenge SKIP LOCKED`,
      [now, limit],
    );
  }

  /** How often an organization's calls to a number were denied since then. */
  async denials(organizationId: string, number: string, since: Date): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(
      `SELECT count(*) AS count FROM voice_auth_challenges
       WHERE state = 'denied' AND organization_id = $1 AND number = $2 AND created_at >= $3 AND NOT sandbox`,
      [organizationId, number, since],
    );
    return row?.count ?? 0;
  }
}
