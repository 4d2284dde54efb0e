import type { Channel } from '../../../model/messaging/channels.js';
import type { FailureReason } from '../../../model/messaging/failure.js';
import type { Database, Queryable } from '../../database.js';
import type { MessageRow } from '../../rows.js';

/** A change of a message's status. */
export interface MessageChange {
  readonly id: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly reason: FailureReason | null;
  readonly provider_code: string | null;
}

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

/** A message with the numbers of the parts that were submitted before. */
export interface ClaimedMessage extends MessageRow {
  readonly submitted: readonly number[];
}

/** Which changes a status allows: none goes back, and a final status stays. */
const ALLOWED = `CASE change.status
  WHEN 'sent' THEN message.status = 'queued'
  WHEN 'delivered' THEN message.status = 'sent'
  WHEN 'read' THEN message.status IN ('sent', 'delivered')
  ELSE message.status IN ('queued', 'sent') END`;

/** The messages that wait to be submitted, and what happens to them. */
export class Submissions {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /**
   * Takes up to `limit` messages that are due: live ones of a channel, or those of the sandbox; those of broadcasts only
   * as far as no other message is due. Nobody else gets them: they are submitted, released by {@link release}, or, if the
   * process dies, never submitted again.
   */
  claim(of: Channel | 'sandbox', now: Date, limit: number): Promise<ClaimedMessage[]> {
    const due = (more: string, most: string): string =>
      `SELECT id FROM messages WHERE ${more} AND due_at <= $1 ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED`;
    const live = `NOT sandbox AND channel = '${of}'`;
    const rest = '$2 - (SELECT count(*) FROM single)';
    const bulk = of === 'sandbox' ? '' : `, bulk AS (${due(`${live} AND broadcast_id IS NOT NULL`, rest)})`;
    return this.db.query<ClaimedMessage>(
      `WITH single AS (${due(of === 'sandbox' ? 'sandbox' : `${live} AND broadcast_id IS NULL`, '$2')})${bulk}
       UPDATE messages SET due_at = NULL, claimed_at = $1
       WHERE id IN (SELECT id FROM single${of === 'sandbox' ? '' : ' UNION ALL SELECT id FROM bulk'})
       RETURNING *, ARRAY(SELECT part FROM message_parts WHERE message_id = messages.id) AS submitted`,
      [now, limit],
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
    if (parts.length === 0) return;
    await this.db.query(
      `INSERT INTO message_parts (message_id, part, state, provider, provider_id)
       SELECT part.message_id, part.part, part.state, part.provider, part.provider_id
       FROM jsonb_to_recordset($1)
         AS part(message_id uuid, part integer, state text, provider text, provider_id text)
       JOIN messages ON messages.id = part.message_id
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(parts)],
      { prepared: true },
    );
  }

  /** Locks messages, in the order of their ids, until the end of the transaction. */
  async lock(tx: Queryable, ids: readonly string[]): Promise<void> {
    await tx.query(`SELECT FROM messages WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`, [ids], {
      prepared: true,
    });
  }

  /** Changes statuses as far as they may change. @returns the messages that did, with what they were worth */
  async change(tx: Queryable, changes: readonly MessageChange[], at: Date): Promise<MessageRow[]> {
    if (changes.length === 0) return [];
    return tx.query<MessageRow>(
      `UPDATE messages AS message SET
         status = change.status, due_at = NULL,
         -- Nobody needs the text of a code any more.
         body = CASE WHEN message.is_system THEN NULL ELSE message.body END,
         fallback_at = CASE WHEN change.status IN ('delivered', 'read') THEN NULL
           WHEN change.status = 'failed' AND message.fallback_at IS NOT NULL THEN $2 ELSE message.fallback_at END,
         error_reason = change.reason, provider_code = change.provider_code,
         sent_at = CASE WHEN change.status = 'sent' THEN $2 ELSE message.sent_at END,
         delivered_at = CASE WHEN change.status = 'delivered' THEN $2 ELSE message.delivered_at END,
         read_at = CASE WHEN change.status = 'read' THEN $2 ELSE message.read_at END,
         failed_at = CASE WHEN change.status = 'failed' THEN $2 ELSE message.failed_at END
       FROM jsonb_to_recordset($1) AS change(id uuid, status text, reason text, provider_code text)
       WHERE message.id = change.id AND ${ALLOWED}
       RETURNING message.*`,
      [JSON.stringify(changes), at],
      { prepared: true },
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
