import { FINAL_CALL_STATUSES } from '../../../model/call/call.js';
import type { MicroSar } from '../../../model/money.js';
import type { Database, Queryable } from '../../database.js';

const FINAL = FINAL_CALL_STATUSES.map((status) => `'${status}'`).join(', ');

/** Amounts held for live calls: upper bounds of what they can still cost. */
export class CallHolds {
  constructor(private readonly db: Database) {}

  /** Sum of a project's holds, those of messages that are not sent included. @param except leaves out this call */
  async sum(projectId: string, on: Queryable = this.db, except: string | null = null): Promise<MicroSar> {
    const [row] = await on.query<{ held: number }>(
      `SELECT (
         (SELECT coalesce(sum(amount), 0) FROM call_holds WHERE project_id = $1 AND call_id IS DISTINCT FROM $2)
         + (SELECT coalesce(sum(amount), 0) FROM messages WHERE project_id = $1 AND status = 'queued' AND amount > 0)
       )::bigint AS held`,
      [projectId, except],
      { prepared: true },
    );
    return row?.held ?? 0;
  }

  /** Replaces the call's hold. */
  async put(tx: Queryable, callId: string, projectId: string, amount: MicroSar, now: Date): Promise<void> {
    await tx.query(
      `INSERT INTO call_holds (call_id, project_id, amount, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (call_id) DO UPDATE SET amount = excluded.amount, created_at = excluded.created_at`,
      [callId, projectId, amount, now],
      { prepared: true },
    );
  }

  /** Raises the call's hold to the amount; a higher one is kept. */
  async raise(tx: Queryable, callId: string, projectId: string, amount: MicroSar, now: Date): Promise<void> {
    await tx.query(
      `INSERT INTO call_holds AS held (call_id, project_id, amount, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (call_id) DO UPDATE SET amount = greatest(held.amount, excluded.amount), created_at = excluded.created_at`,
      [callId, projectId, amount, now],
      { prepared: true },
    );
  }

  async remove(callIds: readonly string[], on: Queryable = this.db): Promise<void> {
    await on.query(`DELETE FROM call_holds WHERE call_id = ANY($1)`, [callIds], { prepared: true });
  }

  /**
   * Deletes holds older than `before` whose call is over with nothing to rate, or was never
   * written.
   */
  async removeStale(before: Date): Promise<void> {
    await this.db.query(
      `DELETE FROM call_holds AS held
       WHERE created_at < $1
         AND NOT EXISTS (SELECT FROM calls WHERE calls.id = held.call_id AND calls.status NOT IN (${FINAL}))
         AND NOT EXISTS (SELECT FROM unrated_calls AS unrated WHERE unrated.call_id = held.call_id)`,
      [before],
    );
  }
}
