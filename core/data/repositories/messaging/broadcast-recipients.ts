import type { RecipientStatus } from '../../../model/broadcasts/broadcast.js';
import type { FailureReason } from '../../../model/messaging/failure.js';
import type { Database, Queryable } from '../../database.js';
import { recordsetOf, recordsetValues } from '../../recordset.js';
import type { BroadcastRecipientRow, MessageRow } from '../../rows.js';

/** A recipient with the outcome of the message. */
export interface RecipientOutcome
  extends BroadcastRecipientRow, Pick<MessageRow, 'provider_code' | 'sent_at' | 'delivered_at' | 'read_at'> {
  readonly outcome: RecipientStatus;
  readonly error_reason: FailureReason | null;
}

/** What accepting a message needs to know of its recipient. */
export type DueRecipient = Pick<BroadcastRecipientRow, 'id' | 'number' | 'address' | 'fields' | 'due_at'>;

/** A recipient who gets no message, or none now. */
export type RecipientDecision = Pick<BroadcastRecipientRow, 'id' | 'status' | 'skip_reason' | 'due_at'>;

/** Failures after which nothing was received, and another attempt may help. */
const RETRIED = `'unreachable', 'expired', 'sender_refused', 'content_refused', 'provider_account', 'provider_fault'`;

export class BroadcastRecipients {
  constructor(private readonly db: Database) {}

  /** @throws a unique violation of `broadcast_recipients_address` or `broadcast_recipients_number` */
  async add(tx: Queryable, rows: readonly BroadcastRecipientRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO broadcast_recipients SELECT * FROM ${recordsetOf('broadcast_recipients')}`,
      recordsetValues(rows),
      { prepared: true },
    );
  }

  /** Those of the addresses that are recipients of the broadcast. */
  async known(tx: Queryable, broadcastId: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    // Not prepared: a plan that was made while the table was small would read all of it.
    const rows = await tx.query<{ address: string }>(
      `SELECT address FROM broadcast_recipients WHERE broadcast_id = $1 AND address = ANY ($2::text[])`,
      [broadcastId, addresses],
    );
    return new Set(rows.map(({ address }) => address));
  }

  async clear(tx: Queryable, broadcastId: string): Promise<void> {
    await tx.query(`DELETE FROM broadcast_recipients WHERE broadcast_id = $1`, [broadcastId]);
  }

  /** The time zones of recipients who wait; null for those without one. */
  async zones(tx: Queryable, broadcastId: string): Promise<readonly (string | null)[]> {
    const rows = await tx.query<{ time_zone: string | null }>(
      `SELECT DISTINCT time_zone FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'waiting'`,
      [broadcastId],
    );
    return rows.map(({ time_zone }) => time_zone);
  }

  /** When those who wait in a time zone are due. */
  async setDue(tx: Queryable, broadcastId: string, zone: string | null, dueAt: Date): Promise<void> {
    await tx.query(
      `UPDATE broadcast_recipients SET due_at = $3
       WHERE broadcast_id = $1 AND status = 'waiting' AND time_zone IS NOT DISTINCT FROM $2`,
      [broadcastId, zone, dueAt],
    );
  }

  /** Up to `limit` recipients who wait and are due. The caller has locked the broadcast. */
  due(tx: Queryable, broadcastId: string, now: Date, limit: number): Promise<DueRecipient[]> {
    return tx.query<DueRecipient>(
      `SELECT id, number, address, fields, due_at FROM broadcast_recipients
       WHERE broadcast_id = $1 AND status = 'waiting' AND due_at <= $2
       ORDER BY due_at, number LIMIT $3`,
      [broadcastId, now, limit],
      { prepared: true },
    );
  }

  /** When the first one who waits is due; null if nobody waits. */
  async nextDue(tx: Queryable, broadcastId: string): Promise<Date | null> {
    const [row] = await tx.query<{ due_at: Date }>(
      `SELECT due_at FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'waiting' ORDER BY due_at LIMIT 1`,
      [broadcastId],
      { prepared: true },
    );
    return row?.due_at ?? null;
  }

  /** Gives recipients who waited their messages. */
  async accept(
    tx: Queryable,
    accepted: readonly { readonly recipientId: string; readonly messageId: string }[],
  ): Promise<void> {
    if (accepted.length === 0) return;
    await tx.query(
      `UPDATE broadcast_recipients AS recipient
       SET status = 'accepted', skip_reason = NULL, message_id = made.message_id, attempts = recipient.attempts + 1
       FROM unnest($1::uuid[], $2::uuid[]) AS made(recipient_id, message_id) WHERE recipient.id = made.recipient_id`,
      [accepted.map(({ recipientId }) => recipientId), accepted.map(({ messageId }) => messageId)],
      { prepared: true },
    );
  }

  async decide(tx: Queryable, decisions: readonly RecipientDecision[]): Promise<void> {
    if (decisions.length === 0) return;
    await tx.query(
      `UPDATE broadcast_recipients AS recipient
       SET status = made.status, skip_reason = made.skip_reason, message_id = NULL, due_at = made.due_at
       FROM jsonb_to_recordset($1) AS made(id uuid, status text, skip_reason text, due_at timestamptz)
       WHERE recipient.id = made.id`,
      [JSON.stringify(decisions)],
      { prepared: true },
    );
  }

  /**
   * Lets those wait again whose message failed and has not arrived; the messages count no more. One whose outcome nobody
   * knows may have arrived, so it is not repeated. @returns how many
   */
  async retryFailed(tx: Queryable, broadcastId: string, now: Date): Promise<number> {
    const rows = await tx.query(
      `WITH failed AS (
         UPDATE messages SET broadcast_variant = NULL
         WHERE broadcast_id = $1 AND broadcast_variant IS NOT NULL AND status = 'failed' AND error_reason IN (${RETRIED})
         RETURNING id
       )
       UPDATE broadcast_recipients AS recipient SET status = 'waiting', message_id = NULL, due_at = $2
       FROM failed WHERE recipient.broadcast_id = $1 AND recipient.message_id = failed.id RETURNING 1`,
      [broadcastId, now],
    );
    return rows.length;
  }

  /** In the order of their numbers, only those after `after`. */
  page(
    broadcastId: string,
    isCancelled: boolean,
    { status, skipReason }: { readonly status: RecipientStatus | null; readonly skipReason: string | null },
    after: number,
    limit: number,
  ): Promise<RecipientOutcome[]> {
    return this.db.query<RecipientOutcome>(
      `SELECT * FROM (
         SELECT recipient.*, message.error_reason, message.provider_code, message.sent_at, message.delivered_at,
           message.read_at,
           CASE recipient.status WHEN 'waiting' THEN CASE WHEN $2 THEN 'cancelled' ELSE 'waiting' END
             WHEN 'skipped' THEN 'skipped' ELSE coalesce(message.status, 'queued') END AS outcome
         FROM broadcast_recipients AS recipient LEFT JOIN messages AS message ON message.id = recipient.message_id
         WHERE recipient.broadcast_id = $1 AND recipient.number > $3
       ) AS found
       WHERE ($4::text IS NULL OR outcome = $4) AND ($5::text IS NULL OR skip_reason = $5)
       ORDER BY number LIMIT $6`,
      [broadcastId, isCancelled, after, status, skipReason, limit],
    );
  }
}
