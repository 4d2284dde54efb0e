import type { Channel } from '../../../model/messaging/channels.js';
import type { Database, Queryable } from '../../database.js';
import type { MessageRow } from '../../rows.js';
import type { MessageReceiptRow } from './receipts.js';

/** A part that was submitted. `unknown`: no answer was seen. */
export interface SubmittedPart {
  readonly message_id: string;
  readonly part: number;
  readonly state: 'sent' | 'unknown';
  readonly provider: string | null;
  readonly provider_id: string | null;
}

/** A message of which nothing more was submitted, and when it is due again. */
export interface Released {
  readonly id: string;
  readonly dueAt: Date;
}

/** The messages that one provider gets: live ones of a channel, those of the sandbox, or those to softphones. */
export type Outbox = Channel | 'sandbox' | 'softphone';

/** A message with the numbers of the parts that were submitted before. */
export interface ClaimedMessage extends MessageRow {
  readonly submitted: readonly number[];
}

/** The message is looked up for each part: a join would read the whole table of messages for the few of a turn. */
const STORE_PARTS = `INSERT INTO message_parts (message_id, part, state, provider, provider_id)
  SELECT part.message_id, part.part, part.state, part.provider, part.provider_id
  FROM jsonb_to_recordset($1) AS part(message_id uuid, part integer, state text, provider text, provider_id text)
  WHERE (SELECT true FROM messages WHERE messages.id = part.message_id)
  ON CONFLICT DO NOTHING`;

/** The messages that wait to be submitted, and what happens to them. */
export class Submissions {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /**
   * Stores parts that were submitted, and receipts, and takes up to `limit` messages that are due, in one statement: so
   * one write to the disk is enough. Takes live ones of a channel, or those of the sandbox; those of broadcasts only as far as no other message is due. Nobody else gets them:
   * they are submitted, released by {@link release}, or, if the process dies, never submitted again.
   */
  turn(
    of: Outbox,
    now: Date,
    limit: number,
    parts: readonly SubmittedPart[],
    receipts: readonly MessageReceiptRow[],
  ): Promise<ClaimedMessage[]> {
    const due = (more: string, most: string): string =>
      `SELECT id FROM messages WHERE ${more} AND due_at <= $2 ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED`;
    // These are of no broadcast.
    const isSingle = of === 'sandbox' || of === 'softphone';
    const live = `NOT sandbox AND channel = '${of}' AND softphone IS NULL`;
    const own = of === 'sandbox' ? 'sandbox' : 'softphone IS NOT NULL';
    const rest = '$3 - (SELECT count(*) FROM single)';
    const bulk = isSingle ? '' : `, bulk AS (${due(`${live} AND broadcast_id IS NOT NULL`, rest)})`;
    // An array keeps the planner from reading the whole table for the few that are due.
    return this.db.query<ClaimedMessage>(
      `WITH stored AS (${STORE_PARTS}),
         received AS (INSERT INTO message_receipts SELECT * FROM jsonb_populate_recordset(NULL::message_receipts, $4)),
         single AS (${due(isSingle ? own : `${live} AND broadcast_id IS NULL`, '$3')})${bulk}
       UPDATE messages SET due_at = NULL, claimed_at = $2
       WHERE id = ANY (ARRAY(SELECT id FROM single${isSingle ? '' : ' UNION ALL SELECT id FROM bulk'}))
       RETURNING *, ARRAY(SELECT part FROM message_parts WHERE message_id = messages.id) AS submitted`,
      [JSON.stringify(parts), now, limit, JSON.stringify(receipts)],
      { prepared: true },
    );
  }

  /** Puts messages back of which nothing more reached the provider. */
  async release(tx: Queryable, released: readonly Released[]): Promise<void> {
    if (released.length === 0) return;
    await tx.query(
      `UPDATE messages AS message SET due_at = given."dueAt", claimed_at = NULL
       FROM jsonb_to_recordset($1) AS given(id uuid, "dueAt" timestamptz)
       WHERE message.id = given.id AND message.status = 'queued'`,
      [JSON.stringify(released)],
    );
  }

  /** Stores parts that were submitted; a repeat changes nothing. */
  async addParts(parts: readonly SubmittedPart[]): Promise<void> {
    await this.db.query(STORE_PARTS, [JSON.stringify(parts)], { prepared: true });
  }

  /**
   * Locks messages until the end of the transaction: those with these ids, and those whose parts providers know by the
   * other ids and have sent receipts for. In the order of their ids, so that two transactions never wait for each other.
   */
  lock(tx: Queryable, ids: readonly string[], providerIds: readonly string[]): Promise<MessageRow[]> {
    // Not prepared: a plan that was made while the table was small would read all of it.
    return tx.query<MessageRow>(
      `SELECT * FROM messages WHERE id = ANY ($1::uuid[] || ARRAY(
         SELECT part.message_id FROM message_parts AS part WHERE part.provider_id = ANY ($2::text[]) AND EXISTS (
           SELECT FROM message_receipts AS receipt
           WHERE receipt.provider_id = part.provider_id AND receipt.provider = part.provider
         )
       )) ORDER BY id FOR NO KEY UPDATE`,
      [ids, providerIds],
    );
  }

  /** Stores the status of messages that are locked, and what it says of the times and the fault. */
  async write(tx: Queryable, rows: readonly MessageRow[], at: Date): Promise<void> {
    const changed = rows.map(({ id, status, error_reason, provider_code, ...row }) => {
      const { sent_at, delivered_at, read_at, failed_at } = row;
      return { id, status, error_reason, provider_code, sent_at, delivered_at, read_at, failed_at };
    });
    await tx.query(
      `UPDATE messages AS message SET
         status = changed.status, due_at = NULL,
         -- Nobody needs the text of a code any more.
         body = CASE WHEN message.is_system THEN NULL ELSE message.body END,
         fallback_at = CASE WHEN changed.status IN ('delivered', 'read') THEN NULL
           WHEN changed.status = 'failed' AND message.fallback_at IS NOT NULL THEN $2 ELSE message.fallback_at END,
         error_reason = changed.error_reason, provider_code = changed.provider_code, sent_at = changed.sent_at,
         delivered_at = changed.delivered_at, read_at = changed.read_at, failed_at = changed.failed_at
       FROM jsonb_to_recordset($1) AS changed(id uuid, status text, error_reason text, provider_code text,
         sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, failed_at timestamptz)
       WHERE message.id = ANY ($3::uuid[]) AND message.id = changed.id`,
      [JSON.stringify(changed), at, changed.map(({ id }) => id)],
    );
  }

  /** The message that a provider knows by this id; null if there is none. */
  async ofProvider(provider: string, providerId: string): Promise<MessageRow | null> {
    const [row] = await this.db.query<MessageRow>(
      `SELECT message.* FROM message_parts AS part JOIN messages AS message ON message.id = part.message_id
       WHERE part.provider_id = $2 AND part.provider = $1 LIMIT 1`,
      [provider, providerId],
    );
    return row ?? null;
  }

  /** Messages that were claimed before this time, and whose parts a provider has all taken: a process died in between. */
  async answered(before: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM messages WHERE status = 'queued' AND claimed_at < $1 AND parts <= (
         SELECT count(*) FROM message_parts AS part WHERE part.message_id = messages.id AND part.state <> 'unknown'
       ) ORDER BY claimed_at LIMIT $2`,
      [before, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Messages that were submitted before this time and whose outcome nobody knows. */
  async unknownSince(before: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM messages WHERE status = 'queued' AND claimed_at < $1 ORDER BY claimed_at LIMIT $2`,
      [before, limit],
    );
    return rows.map(({ id }) => id);
  }
}
