import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { MessageRow, WebchatRow } from '../../rows.js';
import type { CallScope } from '../calls/calls.js';
import type { ProjectKind } from '../project-kind.js';

const CHANGING = [
  ...(['thread_id', 'status', 'queue_id', 'declined_by', 'waiting_since', 'offered_until'] as const),
  ...(['assigned_at', 'closed_at', 'active_at', 'expires_at', 'from_offer', 'left_at'] as const),
];

/** What may change in a chat. */
export type WebchatChange = Partial<Pick<WebchatRow, (typeof CHANGING)[number]>>;

/** A chat with the agent who has it, or is offered it. */
export interface OpenChat extends WebchatRow {
  readonly agent: string | null;
}

/** Where a chat with a message belongs, and who has it. */
export interface PlacedChat extends Pick<WebchatRow, 'id' | 'project_id' | 'sandbox'> {
  readonly thread_id: string;
  readonly agent: string | null;
}

const PLACED = `SELECT chat.id, chat.project_id, chat.sandbox, chat.thread_id, thread.agent FROM webchats AS chat
  JOIN message_threads AS thread ON thread.id = chat.thread_id`;

/** What a visitor sees of a conversation: messages on their way count from when a process took them. */
const VISIBLE = `(direction = 'inbound' OR status IN ('sent', 'delivered', 'read')
  OR (status = 'queued' AND claimed_at IS NOT NULL))`;
const WITH_AGENT = `SELECT chat.*, thread.agent FROM webchats AS chat
  LEFT JOIN message_threads AS thread ON thread.id = chat.thread_id`;

/** The chats of visitors of web pages. */
export class Webchats {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  async create(row: WebchatRow): Promise<void> {
    await this.db.query(`INSERT INTO webchats SELECT * FROM jsonb_populate_record(NULL::webchats, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** Null for a malformed id, and for the chat of another widget. */
  async get(widgetId: string, id: string): Promise<OpenChat | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<OpenChat>(
      `${WITH_AGENT} WHERE chat.id = $1 AND chat.widget_id = $2`,
      [id, widgetId],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Locks the chat until the end of the transaction. */
  async lock(tx: Queryable, id: string): Promise<WebchatRow | null> {
    const [row] = await tx.query<WebchatRow>(`SELECT * FROM webchats WHERE id = $1 FOR UPDATE`, [id]);
    return row ?? null;
  }

  /**
   * As {@link lock}, by the conversation of a project, which is locked first, as by every new message. Null also for a
   * conversation of another channel.
   */
  async lockThread(tx: Queryable, { projectId, sandbox }: ProjectKind, threadId: string): Promise<WebchatRow | null> {
    if (!isId(threadId)) return null;
    await tx.query(`SELECT FROM message_threads WHERE id = $1 FOR NO KEY UPDATE`, [threadId]);
    const [row] = await tx.query<WebchatRow>(
      `SELECT * FROM webchats WHERE thread_id = $3 AND project_id = $1 AND sandbox = $2 FOR UPDATE`,
      [projectId, sandbox, threadId],
    );
    return row ?? null;
  }

  /** Changes a chat that is locked. */
  async change(tx: Queryable, id: string, change: WebchatChange): Promise<WebchatRow> {
    const [row] = await tx.query<WebchatRow>(
      `UPDATE webchats SET (${CHANGING.join(', ')}) = (
         SELECT ${CHANGING.map((column) => `changed.${column}`).join(', ')}
         FROM jsonb_populate_record(webchats, $2) AS changed
       ) WHERE id = $1 RETURNING *`,
      [id, JSON.stringify(change)],
    );
    if (!row) throw new Error('the chat is locked, so it is there');
    return row;
  }

  /** The chats of these conversations, by conversation. */
  async ofThreads(threadIds: readonly string[]): Promise<ReadonlyMap<string, WebchatRow>> {
    if (threadIds.length === 0) return new Map();
    const rows = await this.db.query<WebchatRow & { thread_id: string }>(
      `SELECT * FROM webchats WHERE thread_id = ANY ($1::uuid[])`,
      [threadIds],
    );
    return new Map(rows.map((row) => [row.thread_id, row]));
  }

  /** Where these chats belong, without those in which nothing was written. */
  placed(ids: readonly string[]): Promise<PlacedChat[]> {
    return this.db.query<PlacedChat>(`${PLACED} WHERE chat.id = ANY ($1::uuid[])`, [ids], { prepared: true });
  }

  /** Up to `limit` chats of the scope that are not closed, the newest first. */
  openOf({ projectId, sandboxOnly, agent = null }: CallScope, limit: number): Promise<PlacedChat[]> {
    return this.db.query<PlacedChat>(
      `${PLACED} WHERE chat.project_id = $1 AND (chat.sandbox OR NOT $2) AND ($3::text IS NULL OR thread.agent = $3)
         AND chat.status IN ('waiting', 'offered', 'assigned') ORDER BY chat.id DESC LIMIT $4`,
      [projectId, sandboxOnly, agent, limit],
    );
  }

  /** The visitor is there. */
  async touch(id: string, at: Date, expiresAt: Date): Promise<void> {
    await this.db.query(`UPDATE webchats SET active_at = $2, expires_at = $3 WHERE id = $1`, [id, at, expiresAt]);
  }

  /** Up to `limit` messages that the visitor may see, newest first. @param before the id of a later one; null: the last */
  messages(threadId: string, before: string | null, limit: number): Promise<MessageRow[]> {
    return this.db.query<MessageRow>(
      `SELECT * FROM messages WHERE thread_id = $1 AND ${VISIBLE} AND ($2::uuid IS NULL OR id < $2)
       ORDER BY id DESC LIMIT $3`,
      [threadId, before, limit],
      { prepared: true },
    );
  }

  /** Which of these are messages to the visitor of the conversation. */
  async received(threadId: string, ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM messages WHERE thread_id = $1 AND id = ANY ($2::uuid[]) AND direction = 'outbound' AND ${VISIBLE}`,
      [threadId, ids.filter(isId)],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a message of the conversation that the visitor may see has this file. */
  async hasFile(threadId: string, fileId: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT FROM messages WHERE thread_id = $1 AND content->'media'->>'media_id' = $2 AND ${VISIBLE} LIMIT 1`,
      [threadId, fileId],
    );
    return rows.length > 0;
  }

  /** Which of these conversations have messages that have not reached their visitors. */
  async undelivered(threadIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.db.query<{ thread_id: string }>(
      `SELECT DISTINCT thread_id FROM messages WHERE thread_id = ANY ($1::uuid[]) AND direction = 'outbound'
         AND (status = 'sent' OR (status = 'queued' AND claimed_at IS NOT NULL))`,
      [threadIds],
    );
    return rows.map(({ thread_id }) => thread_id);
  }

  /** Whether pages of the project can have chats. */
  async isOffered(projectId: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT FROM widgets WHERE project_id = $1 AND chat AND NOT sandbox AND revoked_at IS NULL LIMIT 1`,
      [projectId],
      { prepared: true },
    );
    return rows.length > 0;
  }

  /** Serializes the distribution of a project's chats until the end of the transaction. */
  async lockDistribution(tx: Queryable, projectId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('chats ' || $1, 0))`, [projectId]);
  }

  /** The projects with chats that an agent of a queue should be offered now. */
  async projectsToServe(now: Date): Promise<readonly string[]> {
    const rows = await this.db.query<{ project_id: string }>(
      `SELECT DISTINCT project_id FROM webchats WHERE NOT sandbox AND queue_id IS NOT NULL
         AND (status = 'waiting' OR (status = 'offered' AND offered_until <= $1))`,
      [now],
    );
    return rows.map(({ project_id }) => project_id);
  }

  /** Locks the project's live chats that are open: the one that waits longest comes first. */
  async open(tx: Queryable, projectId: string): Promise<OpenChat[]> {
    const open = `chat.project_id = $1 AND NOT chat.sandbox AND chat.status IN ('waiting', 'offered', 'assigned')`;
    // Conversations before chats, as everywhere, so that nobody waits for each other.
    await tx.query(
      `SELECT FROM message_threads WHERE id IN (SELECT thread_id FROM webchats AS chat WHERE ${open})
       ORDER BY id FOR NO KEY UPDATE`,
      [projectId],
    );
    return tx.query<OpenChat>(`${WITH_AGENT} WHERE ${open} ORDER BY chat.waiting_since, chat.id FOR UPDATE OF chat`, [
      projectId,
    ]);
  }

  /** Up to `limit` open chats in which nothing has happened since. */
  silent(before: Date, limit: number): Promise<OpenChat[]> {
    return this.db.query<OpenChat>(
      `${WITH_AGENT} WHERE chat.status IN ('waiting', 'offered', 'assigned') AND chat.active_at < $1
       ORDER BY chat.active_at LIMIT $2`,
      [before, limit],
    );
  }

  /** Deletes chats in which nothing was written, and whose time is over. */
  async purge(before: Date): Promise<void> {
    await this.db.query(`DELETE FROM webchats WHERE thread_id IS NULL AND expires_at < $1`, [before]);
  }

  /**
   * Puts messages back that a process took, and whose outcome it did not store before it died. A visitor gets none twice:
   * messages have ids.
   */
  async putBack(before: Date): Promise<number> {
    const rows = await this.db.query(
      `UPDATE messages SET due_at = claimed_at, claimed_at = NULL
       WHERE channel = 'webchat' AND status = 'queued' AND claimed_at < $1
         AND NOT EXISTS (SELECT FROM message_parts AS part WHERE part.message_id = messages.id)
       RETURNING 1`,
      [before],
    );
    return rows.length;
  }

  /** Up to `limit` messages that did not reach their visitors in time. */
  async expired(now: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM messages WHERE channel = 'webchat' AND status = 'sent' AND valid_until <= $1
       ORDER BY valid_until LIMIT $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }
}
