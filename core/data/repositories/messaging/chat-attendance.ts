import { AGENT_AWAY_MS } from '../../../model/messaging/webchat.js';
import type { Database, Queryable } from '../../database.js';

/** An agent's page: it follows chats with a session. */
export interface AttendingPage {
  readonly projectId: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** A chat of an agent who has left, or has come back. */
export interface AttendedChat {
  readonly id: string;
  readonly project_id: string;
  readonly thread_id: string;
  readonly agent: string;
}

/** An agent counts as having a chat on the page if it was accepted at most this long after the page was last seen. */
const SEEN_EVERY = `interval '30 seconds'`;

/** Every agent who ever had a page, and whether one is open; `$1` and `$2` as {@link timesAt} returns them. */
const ATTENDING = `WITH attending AS (
  SELECT page.project_id, page.agent, max(page.seen_at) AS seen_at,
    coalesce(bool_or(page.seen_at > $1 AND session.revoked_at IS NULL AND session.expires_at > $2), false) AS is_there
  FROM chat_attendance AS page LEFT JOIN sessions AS session ON session.id = page.session_id
  GROUP BY page.project_id, page.agent
)`;
const CHATS = `${ATTENDING} SELECT chat.id, chat.project_id, chat.thread_id, thread.agent FROM webchats AS chat
  JOIN message_threads AS thread ON thread.id = chat.thread_id
  JOIN attending ON attending.project_id = chat.project_id AND attending.agent = thread.agent
  WHERE chat.status = 'assigned' AND NOT chat.sandbox`;

/** An agent is there at this time if a page was seen after the first one and its session is valid at the second one. */
function timesAt(now: Date): readonly [Date, Date] {
  return [new Date(now.getTime() - AGENT_AWAY_MS), now];
}

/** Which agents have pages that follow chats. An agent who never had one answers by an integration, and is not known. */
export class ChatAttendances {
  constructor(private readonly db: Database) {}

  /** The page is open. */
  async seen({ projectId, agent, sessionId }: AttendingPage, at: Date): Promise<void> {
    await this.db.query(
      `INSERT INTO chat_attendance (project_id, agent, session_id, seen_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (project_id, agent, session_id) DO UPDATE SET seen_at = excluded.seen_at`,
      [projectId, agent, sessionId, at],
      { prepared: true },
    );
  }

  /** The agents of a project who had a page, and have none now. */
  async away(tx: Queryable, projectId: string, now: Date): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ agent: string }>(
      `${ATTENDING} SELECT agent FROM attending WHERE project_id = $3 AND NOT is_there`,
      [...timesAt(now), projectId],
    );
    return new Set(rows.map(({ agent }) => agent));
  }

  /** Up to `limit` live chats whose agents have left since they took them, and for which nothing was done about it. */
  left(now: Date, limit: number): Promise<AttendedChat[]> {
    return this.db.query<AttendedChat>(
      `${CHATS} AND NOT is_there AND chat.assigned_at < attending.seen_at + ${SEEN_EVERY}
         AND (chat.queue_id IS NOT NULL OR chat.left_at IS NULL) ORDER BY chat.id LIMIT $3`,
      [...timesAt(now), limit],
    );
  }

  /** Up to `limit` live chats whose agents were away, and are there again. */
  returned(now: Date, limit: number): Promise<AttendedChat[]> {
    return this.db.query<AttendedChat>(`${CHATS} AND is_there AND chat.left_at IS NOT NULL ORDER BY chat.id LIMIT $3`, [
      ...timesAt(now),
      limit,
    ]);
  }

  /** Live chats that agents took from offers of their queues. */
  async fromOffers(): Promise<(AttendedChat & { readonly queue_id: string })[]> {
    return this.db.query<AttendedChat & { readonly queue_id: string }>(
      `SELECT chat.id, chat.project_id, chat.thread_id, thread.agent, chat.queue_id FROM webchats AS chat
       JOIN message_threads AS thread ON thread.id = chat.thread_id
       WHERE chat.status = 'assigned' AND NOT chat.sandbox AND chat.from_offer AND chat.queue_id IS NOT NULL
         AND thread.agent IS NOT NULL ORDER BY chat.project_id, chat.id`,
    );
  }

  /** Forgets pages that nobody has opened since. */
  async purge(before: Date): Promise<void> {
    await this.db.query(`DELETE FROM chat_attendance WHERE seen_at < $1`, [before]);
  }
}
