import type { Channel } from '../../../model/messaging/channels.js';
import type { Database, Queryable } from '../../database.js';
import type { MessageRow } from '../../rows.js';
import type { MessageReceiptRow } from './receipts.js';

/** A part that was submitted. `unknown`: no answer was seen; `delivered`: its receipt came with the answer. */
export interface SubmittedPart {
  readonly message_id: string;
  readonly part: number;
  readonly state: 'sent' | 'delivered' | 'unknown';
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

/** What submitting a message needs: the rest of its row is neither sent nor read. */
const CLAIMED = [
  ...['id', 'organization_id', 'project_id', 'sandbox', 'channel', 'recipient', 'sender', 'class', 'subject', 'body'],
  ...[
    'content',
    'template_name',
    'template_language',
    'parts',
    'scheduled_at',
    'valid_until',
    'is_system',
    'softphone',
  ],
] as const satisfies readonly (keyof MessageRow)[];

/** What the outcome of a message needs: its events, its price, and neither its text nor its content. */
const LOCKED = [
  ...['id', 'organization_id', 'project_id', 'sandbox', 'channel', 'direction', 'thread_id', 'recipient', 'sender'],
  ...['class', 'status', 'template_name', 'template_language', 'segments', 'parts', 'amount', 'error_reason'],
  ...['provider_code', 'metadata', 'broadcast_id', 'is_system', 'created_at', 'scheduled_at', 'valid_until'],
  ...['sent_at', 'delivered_at', 'read_at', 'failed_at'],
] as const satisfies readonly (keyof MessageRow)[];

/** A message whose status a transaction may change. */
export type LockedMessage = Pick<MessageRow, (typeof LOCKED)[number]>;

/** A message with the numbers of the parts that were submitted before. */
export interface ClaimedMessage extends Pick<MessageRow, (typeof CLAIMED)[number]> {
  readonly submitted: readonly number[];
}

/** A message of which a provider has all parts, and its status was not stored. */
interface AnsweredMessage {
  readonly id: string;
  /** Receipts say that all parts have arrived. */
  readonly is_delivered: boolean;
}

/** What an outcome changes in a message. Times other than `at` are those that it has. */
type WrittenOutcome = Pick<
  MessageRow,
  'id' | 'status' | 'error_reason' | 'provider_code' | 'sent_at' | 'delivered_at' | 'read_at' | 'failed_at'
>;

/** The message is looked up for each part: a join would read the whole table of messages for the few of a turn. */
const STORE_PARTS = `INSERT INTO message_parts (message_id, part, state, provider, provider_id)
  SELECT part.message_id, part.part, part.state, part.provider, part.provider_id
  FROM jsonb_to_recordset($1) AS part(message_id uuid, part integer, state text, provider text, provider_id text)
  WHERE (SELECT true FROM messages WHERE messages.id = part.message_id)
  ON CONFLICT (message_id, part) DO UPDATE SET state = 'delivered'
    WHERE excluded.state = 'delivered' AND message_parts.state IN ('unknown', 'sent')`;

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
       RETURNING ${CLAIMED.join(', ')}, ARRAY(SELECT part FROM message_parts WHERE message_id = messages.id) AS submitted`,
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
  lock(tx: Queryable, ids: readonly string[], providerIds: readonly string[]): Promise<LockedMessage[]> {
    // Not prepared: a plan that was made while the table was small would read all of it.
    return tx.query<LockedMessage>(
      `SELECT ${LOCKED.join(', ')} FROM messages WHERE id = ANY ($1::uuid[] || ARRAY(
         SELECT part.message_id FROM message_parts AS part WHERE part.provider_id = ANY ($2::text[]) AND EXISTS (
           SELECT FROM message_receipts AS receipt
           WHERE receipt.provider_id = part.provider_id AND receipt.provider = part.provider
         )
       )) ORDER BY id FOR NO KEY UPDATE`,
      [ids, providerIds],
    );
  }

  /** Stores the status of messages that are locked, and what it says of the times and the fault. */
  async write(tx: Queryable, rows: readonly WrittenOutcome[], at: Date): Promise<void> {
    // Most messages of a batch change alike: they are one statement, without a value for each of them.
    const alike = new Map<string, WrittenOutcome[]>();
    for (const row of rows) {
      const { status, error_reason, provider_code } = row;
      const key = JSON.stringify([status, error_reason, provider_code, ...timesOf(row, at)]);
      const known = alike.get(key);
      if (known) known.push(row);
      else alike.set(key, [row]);
    }
    for (const group of alike.values()) await this.#write(tx, group, at);
  }

  async #write(tx: Queryable, rows: readonly WrittenOutcome[], at: Date): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const { status, error_reason, provider_code } = first;
    // Not prepared: a plan that was made while the table was small would read all of it.
    await tx.query(
      `UPDATE messages SET
         status = $3, due_at = NULL, error_reason = $4, provider_code = $5,
         -- Nobody needs the text of a code any more.
         body = CASE WHEN is_system THEN NULL ELSE body END,
         fallback_at = CASE WHEN $3 IN ('delivered', 'read') THEN NULL
           WHEN $3 = 'failed' AND fallback_at IS NOT NULL THEN $2 ELSE fallback_at END,
         sent_at = CASE WHEN $6 THEN $2 ELSE sent_at END, delivered_at = CASE WHEN $7 THEN $2 ELSE delivered_at END,
         read_at = CASE WHEN $8 THEN $2 ELSE read_at END, failed_at = CASE WHEN $9 THEN $2 ELSE failed_at END
       WHERE id = ANY ($1::uuid[])`,
      [rows.map(({ id }) => id), at, status, error_reason, provider_code, ...timesOf(first, at)],
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
  answered(before: Date, limit: number): Promise<AnsweredMessage[]> {
    return this.db.query<AnsweredMessage>(
      `SELECT message.id, message.parts <= part.delivered AS is_delivered
       FROM messages AS message CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE state <> 'unknown') AS taken,
           count(*) FILTER (WHERE state IN ('delivered', 'read')) AS delivered
         FROM message_parts WHERE message_id = message.id
       ) AS part
       WHERE message.status = 'queued' AND message.claimed_at < $1 AND message.parts <= part.taken
       ORDER BY message.claimed_at LIMIT $2`,
      [before, limit],
    );
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

/** Which times of a message are set by a change at this time: sent, delivered, read and failed. */
function timesOf({ sent_at, delivered_at, read_at, failed_at }: WrittenOutcome, at: Date): readonly boolean[] {
  return [sent_at, delivered_at, read_at, failed_at].map((time) => time?.getTime() === at.getTime());
}
