import type { SkipReason } from '../../../model/broadcasts/broadcast.js';
import type { FailureReason } from '../../../model/messaging/failure.js';
import type { MessageStatus } from '../../../model/messaging/message.js';
import type { Database, Queryable } from '../../database.js';

/** How many messages of a variant have a status. */
export interface MessageCount {
  readonly variant: number;
  readonly status: MessageStatus;
  readonly error_reason: FailureReason | null;
  readonly count: number;
}

export interface SkipCount {
  readonly reason: SkipReason;
  readonly count: number;
}

const OWN = `broadcast_id = $1 AND broadcast_variant IS NOT NULL`;

/** The messages of broadcasts. */
export class BroadcastMessages {
  constructor(private readonly db: Database) {}

  async counts(
    broadcastId: string,
    on: Queryable = this.db,
  ): Promise<{ readonly messages: readonly MessageCount[]; readonly skips: readonly SkipCount[] }> {
    const messages = await on.query<MessageCount>(
      `SELECT broadcast_variant AS variant, status, error_reason, count(*)::integer AS count FROM messages
       WHERE ${OWN} GROUP BY 1, 2, 3`,
      [broadcastId],
      { prepared: true },
    );
    const skips = await on.query<SkipCount>(
      `SELECT skip_reason AS reason, count(*)::integer AS count FROM broadcast_recipients
       WHERE broadcast_id = $1 AND status = 'skipped' GROUP BY 1 ORDER BY 1`,
      [broadcastId],
      { prepared: true },
    );
    return { messages, skips };
  }

  /** How many were accepted and have no outcome yet, up to `most`. */
  async queued(tx: Queryable, broadcastId: string, most: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::integer AS count
       FROM (SELECT FROM messages WHERE ${OWN} AND status = 'queued' LIMIT $2) AS queued`,
      [broadcastId, most],
      { prepared: true },
    );
    return row?.count ?? 0;
  }

  /** Keeps those that no process submits yet from being submitted. */
  async hold(tx: Queryable, broadcastId: string): Promise<void> {
    await tx.query(`UPDATE messages SET due_at = NULL WHERE ${OWN} AND status = 'queued' AND claimed_at IS NULL`, [
      broadcastId,
    ]);
  }

  /** Undoes {@link hold}. */
  async letGo(tx: Queryable, broadcastId: string, now: Date): Promise<void> {
    await tx.query(
      `UPDATE messages SET due_at = $2 WHERE ${OWN} AND status = 'queued' AND claimed_at IS NULL AND due_at IS NULL`,
      [broadcastId, now],
    );
  }

  /** Cancels those that no process submits yet. */
  async cancel(tx: Queryable, broadcastId: string): Promise<void> {
    await tx.query(
      `UPDATE messages SET status = 'cancelled', due_at = NULL WHERE ${OWN} AND status = 'queued' AND claimed_at IS NULL`,
      [broadcastId],
    );
  }
}
