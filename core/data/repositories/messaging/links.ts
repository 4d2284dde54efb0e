import type { Database, Queryable } from '../../database.js';
import type { MessageLinkRow, MessageRow } from '../../rows.js';

/** A link that a person followed, and its message. */
export interface ClickedLink {
  readonly link: MessageLinkRow;
  readonly message: MessageRow;
}

/** How a link of a broadcast is followed. */
export interface BroadcastLink {
  readonly url: string;
  /** The index of the variant. */
  readonly variant: number;
  /** Those with the link. */
  readonly messages: number;
  /** Those whose recipient followed it. */
  readonly clicked: number;
  readonly clicks: number;
}

/** The tracked links of messages. */
export class MessageLinks {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  async add(tx: Queryable, rows: readonly MessageLinkRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(`INSERT INTO message_links SELECT * FROM jsonb_populate_recordset(NULL::message_links, $1)`, [
      JSON.stringify(rows),
    ]);
  }

  /** Counts a click. @returns null for an unknown code */
  async click(tx: Queryable, code: string, at: Date): Promise<ClickedLink | null> {
    const [link] = await tx.query<MessageLinkRow>(
      `UPDATE message_links SET clicks = clicks + 1, last_clicked_at = $2,
         first_clicked_at = coalesce(first_clicked_at, $2) WHERE code = $1 RETURNING *`,
      [code, at],
    );
    if (!link) return null;
    const [message] = await tx.query<MessageRow>(`SELECT * FROM messages WHERE id = $1`, [link.message_id]);
    return message ? { link, message } : null;
  }

  /** Counts a look by a program. @returns where the link leads; null for an unknown code */
  async preview(code: string): Promise<string | null> {
    const [row] = await this.db.query<{ url: string }>(
      `UPDATE message_links SET previews = previews + 1 WHERE code = $1 RETURNING url`,
      [code],
    );
    return row?.url ?? null;
  }

  /** The links of a broadcast, the most followed ones first. */
  ofBroadcast(broadcastId: string, limit: number): Promise<BroadcastLink[]> {
    return this.db.query<BroadcastLink>(
      `SELECT link.url, message.broadcast_variant AS variant, count(*)::integer AS messages,
         count(*) FILTER (WHERE link.clicks > 0)::integer AS clicked, sum(link.clicks)::integer AS clicks
       FROM messages AS message JOIN message_links AS link ON link.message_id = message.id
       WHERE message.broadcast_id = $1 AND message.broadcast_variant IS NOT NULL
       GROUP BY link.url, message.broadcast_variant ORDER BY clicked DESC, messages DESC, link.url, variant LIMIT $2`,
      [broadcastId, limit],
    );
  }

  ofMessage(messageId: string): Promise<MessageLinkRow[]> {
    return this.db.query<MessageLinkRow>(`SELECT * FROM message_links WHERE message_id = $1 ORDER BY url, code`, [
      messageId,
    ]);
  }
}
