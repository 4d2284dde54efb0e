import type { StoredFallback } from '../../../model/messaging/fallback.js';
import type { Database } from '../../database.js';
import type { MessageRow } from '../../rows.js';

/** A message whose next channel is due. */
export type FallbackDue = MessageRow & { readonly fallback: StoredFallback };

/** Messages that have further channels. */
export class Fallbacks {
  constructor(private readonly db: Database) {}

  /**
   * Takes messages whose next channel is due. Others get them again only after `until`, in case this process dies.
   */
  claim(now: Date, until: Date, limit: number): Promise<FallbackDue[]> {
    return this.db.query<FallbackDue>(
      `UPDATE messages SET fallback_at = $2
       WHERE id IN (
         SELECT id FROM messages WHERE fallback_at <= $1 ORDER BY fallback_at LIMIT $3 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [now, until, limit],
    );
  }

  /** Stores the result of the next channel. @param at when the one after it is tried; null: never */
  async settle(id: string, fallback: StoredFallback, at: Date | null): Promise<void> {
    await this.db.query(`UPDATE messages SET fallback = $2, fallback_at = $3 WHERE id = $1`, [
      id,
      JSON.stringify(fallback),
      at,
    ]);
  }

  /** The message of a chain on a channel; null if there is none. */
  async messageOf(first: string, channel: string): Promise<string | null> {
    const [row] = await this.db.query<{ id: string }>(
      `SELECT id FROM messages WHERE fallback_of = $1 AND channel = $2`,
      [first, channel],
    );
    return row?.id ?? null;
  }
}
