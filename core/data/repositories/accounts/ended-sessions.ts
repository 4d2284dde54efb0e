import type { Queryable } from '../../database.js';

/**
 * Deletes tokens that expired, and sessions that ended, before this time, at most `limit` of each. A refresh token
 * expires with its session, so until then its second use is recognized. @returns the deleted rows by table
 */
export async function purgeEndedSessions(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<Readonly<Record<'session_tokens' | 'sessions' | 'user_tokens', number>>> {
  const tokensOf = async (table: 'session_tokens' | 'user_tokens'): Promise<number> => {
    const rows = await db.query(
      `DELETE FROM ${table} WHERE hash IN (SELECT hash FROM ${table} WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
       RETURNING 1 AS deleted`,
      [before, limit],
    );
    return rows.length;
  };
  const tokens = { session_tokens: await tokensOf('session_tokens'), user_tokens: await tokensOf('user_tokens') };
  const sessions = await db.query(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
     RETURNING 1 AS deleted`,
    [before, limit],
  );
  return { ...tokens, sessions: sessions.length };
}
