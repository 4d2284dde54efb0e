import type { FailureReason } from '../../../model/messaging/failure.js';
import type { Database, Queryable } from '../../database.js';

export interface MessageReceiptRow {
  readonly id: string;
  readonly provider: string;
  readonly provider_id: string;
  readonly state: 'sent' | 'delivered' | 'read' | 'failed';
  readonly reason: FailureReason | null;
  readonly provider_code: string | null;
  readonly recipient: string | null;
  readonly sender: string | null;
  readonly received_at: Date;
}

/** What the parts of a message have reached together. */
export interface PartsState {
  readonly message_id: string;
  /** Those that a provider has, as far as is known. */
  readonly known: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  /** Of a part that failed. */
  readonly failure: Pick<MessageReceiptRow, 'reason' | 'provider_code'> | null;
  /** Of what was read: a receipt said before that it was delivered. */
  readonly was_delivered: boolean;
}

/** Receipts of providers. One that belongs to no part waits for it: it may come before the response. */
export class MessageReceipts {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  async add(rows: readonly MessageReceiptRow[]): Promise<void> {
    await this.db.query(
      `INSERT INTO message_receipts SELECT * FROM jsonb_populate_recordset(NULL::message_receipts, $1)`,
      [JSON.stringify(rows)],
      { prepared: true },
    );
  }

  /**
   * Takes the receipts with these ids for parts of messages that the caller has locked, and stores what the parts have
   * reached; none goes back. @returns the state of those messages
   */
  take(tx: Queryable, providerIds: readonly string[], messageIds: readonly string[]): Promise<PartsState[]> {
    // Only of these messages: another transaction may have the others, and both would wait for each other.
    return tx.query<PartsState>(
      `WITH taken AS (
         DELETE FROM message_receipts AS receipt USING message_parts AS part
         WHERE receipt.provider_id = part.provider_id AND receipt.provider = part.provider
           AND receipt.provider_id = ANY ($1::text[]) AND part.message_id = ANY ($2::uuid[])
         RETURNING receipt.id, part.message_id, part.part, receipt.state, receipt.reason, receipt.provider_code
       ), best AS (
         SELECT DISTINCT ON (message_id, part) message_id, part, state FROM taken
         ORDER BY message_id, part, CASE state WHEN 'read' THEN 0 WHEN 'delivered' THEN 1 WHEN 'failed' THEN 2 ELSE 3 END
       ), moved AS (
         UPDATE message_parts AS part SET state = best.state FROM best
         WHERE part.message_id = best.message_id AND part.part = best.part
           AND (part.state IN ('unknown', 'sent') OR part.state = 'delivered' AND best.state = 'read')
         RETURNING part.message_id, part.part, part.state
       ), now AS (
         SELECT part.message_id, part.provider_id, coalesce(moved.state, part.state) AS state
         FROM message_parts AS part LEFT JOIN moved USING (message_id, part)
         WHERE part.message_id = ANY (ARRAY(SELECT message_id FROM taken))
       )
       SELECT message_id, count(provider_id)::int AS known,
         count(*) FILTER (WHERE state IN ('delivered', 'read'))::int AS delivered,
         count(*) FILTER (WHERE state = 'read')::int AS read,
         count(*) FILTER (WHERE state = 'failed')::int AS failed,
         CASE WHEN bool_or(state = 'failed') THEN (
           SELECT jsonb_build_object('reason', taken.reason, 'provider_code', taken.provider_code) FROM taken
           WHERE taken.message_id = now.message_id AND taken.state = 'failed' LIMIT 1
         ) END AS failure,
         coalesce(bool_or(state = 'read') AND 'delivered' = (
           SELECT taken.state FROM taken
           WHERE taken.message_id = now.message_id AND taken.state IN ('delivered', 'read') ORDER BY taken.id LIMIT 1
         ), false) AS was_delivered
       FROM now GROUP BY message_id`,
      [providerIds, messageIds],
    );
  }

  /** The ids of receipts that wait and whose part is known. */
  async matchable(limit: number): Promise<readonly string[]> {
    const rows = await this.db.query<{ provider_id: string }>(
      `SELECT receipt.provider_id FROM message_receipts AS receipt JOIN message_parts AS part
         ON part.provider_id = receipt.provider_id AND part.provider = receipt.provider
       ORDER BY receipt.received_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ provider_id }) => provider_id);
  }

  /**
   * Gives receipts that have waited since before this time to messages whose outcome is unknown, if the addresses leave
   * no doubt which one it is: the response that named it was never seen.
   */
  async adopt(channel: string, before: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db.query<{ provider_id: string }>(
      `WITH waiting AS (
         SELECT receipt.* FROM message_receipts AS receipt
         WHERE receipt.received_at < $2 AND NOT EXISTS (
           SELECT FROM message_parts AS part WHERE part.provider_id = receipt.provider_id AND part.provider = receipt.provider
         )
         ORDER BY receipt.received_at LIMIT $3
       ), open AS MATERIALIZED (
         SELECT id, recipient, sender, claimed_at FROM messages
         WHERE channel = $1 AND status = 'queued' AND claimed_at < $2
       ), candidate AS (
         SELECT receipt.id, receipt.provider, receipt.provider_id, array_agg(message.id) AS messages
         FROM waiting AS receipt JOIN open AS message ON message.recipient = receipt.recipient
           AND message.claimed_at < receipt.received_at
           AND ltrim(coalesce(message.sender, receipt.sender, ''), '+') = ltrim(coalesce(receipt.sender, ''), '+')
         GROUP BY 1, 2, 3
       ), placed AS (
         SELECT candidate.*, candidate.messages[1] AS message_id,
           row_number() OVER (PARTITION BY candidate.messages[1] ORDER BY candidate.id) AS place
         FROM candidate WHERE cardinality(candidate.messages) = 1
       ), free AS (
         SELECT message.id AS message_id, number AS part,
           row_number() OVER (PARTITION BY message.id ORDER BY number) AS place
         FROM messages AS message CROSS JOIN LATERAL generate_series(1, message.parts) AS number
         WHERE message.id IN (SELECT message_id FROM placed) AND NOT EXISTS (
           SELECT FROM message_parts AS part
           WHERE part.message_id = message.id AND part.part = number AND part.provider_id IS NOT NULL
         )
       )
       INSERT INTO message_parts AS part (message_id, part, state, provider, provider_id)
       SELECT free.message_id, free.part, 'unknown', placed.provider, placed.provider_id
       FROM placed JOIN free ON free.message_id = placed.message_id AND free.place = placed.place
       ON CONFLICT (message_id, part) DO UPDATE SET provider = excluded.provider, provider_id = excluded.provider_id
         WHERE part.provider_id IS NULL
       RETURNING provider_id`,
      [channel, before, limit],
    );
    return rows.map(({ provider_id }) => provider_id);
  }

  /**
   * Names the only part of messages at the provider, if nobody knows it yet: the response that named it was lost, but the
   * provider repeats which message it is.
   */
  async learn(
    known: readonly {
      readonly id: string;
      readonly projectId: string;
      readonly provider: string;
      readonly providerId: string;
    }[],
  ): Promise<void> {
    if (known.length === 0) return;
    await this.db.query(
      `INSERT INTO message_parts AS part (message_id, part, state, provider, provider_id)
       SELECT DISTINCT ON (message.id) message.id, 1, 'unknown', known.provider, known."providerId"
       FROM jsonb_to_recordset($1) AS known(id uuid, "projectId" uuid, provider text, "providerId" text)
       JOIN messages AS message ON message.id = known.id AND message.project_id = known."projectId"
         AND message.direction = 'outbound' AND message.parts = 1
       ON CONFLICT (message_id, part) DO UPDATE SET provider = excluded.provider, provider_id = excluded.provider_id
         WHERE part.provider_id IS NULL`,
      [JSON.stringify(known)],
    );
  }

  /** Deletes receipts and fragments of messages that nothing belongs to. */
  async purge(receiptsBefore: Date, fragmentsBefore: Date): Promise<void> {
    await this.db.query(`DELETE FROM message_receipts WHERE received_at < $1`, [receiptsBefore]);
    await this.db.query(`DELETE FROM message_fragments WHERE received_at < $1`, [fragmentsBefore]);
  }
}
