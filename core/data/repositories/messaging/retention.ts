import { lowestIdAt } from '../../../model/ids.js';
import type { Purge } from '../maintenance/retention.js';

/**
 * Purges messages that are over, and the threads that have no messages left. Those of a broadcast stay as long as the
 * broadcast, whose numbers they are.
 */
export const purgeMessages: Purge = (db, before, afterId, limit) =>
  db.transaction(async (tx) => {
    const rows = await tx.query<{ id: string; thread_id: string; status: string; is_counted: boolean }>(
      `SELECT id, thread_id, status, EXISTS (SELECT FROM broadcasts WHERE id = messages.broadcast_id) AS is_counted
       FROM messages WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
      [afterId, lowestIdAt(before), limit],
    );
    const over = rows.filter(({ status, is_counted }) => status !== 'queued' && !is_counted);
    const messages = await tx.query(`DELETE FROM messages WHERE id = ANY ($1::uuid[]) RETURNING 1`, [
      over.map(({ id }) => id),
    ]);
    const threads = await tx.query(
      `DELETE FROM message_threads AS thread WHERE id = ANY ($1::uuid[]) AND last_message_at < $2
         AND NOT EXISTS (SELECT FROM messages WHERE thread_id = thread.id) RETURNING 1`,
      [over.map(({ thread_id }) => thread_id), before],
    );
    return {
      lastId: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
      deleted: { messages: messages.length, message_threads: threads.length },
    };
  });
