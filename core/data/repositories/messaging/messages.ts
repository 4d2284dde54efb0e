import { isId } from '../../../model/ids.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { MessageDirection, MessageStatus } from '../../../model/messaging/message.js';
import type { Database, Queryable } from '../../database.js';
import type { MessageRow, MessageThreadRow } from '../../rows.js';
import type { CallScope, Position } from '../calls/calls.js';

export interface MessageFilter {
  readonly channel: Channel | null;
  readonly status: MessageStatus | null;
  readonly direction: MessageDirection | null;
  readonly to: string | null;
  readonly threadId: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** Which conversations are listed. A filter that is null excludes none. */
export interface ThreadFilter {
  readonly channel: Channel | null;
  readonly address: string | null;
  /** Who has the conversation. */
  readonly agent: string | null;
  /** Chats of visitors of web pages that are closed, or are not. */
  readonly chat: 'open' | 'closed' | null;
}

/** The person and the channel of a conversation, and what a new message changes in it. */
export type ThreadTouch = Omit<MessageThreadRow, 'created_at'>;

/** `$1`, `$2`, `$3`: the project, whether only its sandbox, and the only agent. */
const THREADS = `project_id = $1 AND (sandbox OR NOT $2) AND ($3::text IS NULL OR agent = $3)`;
const MESSAGES = `SELECT * FROM messages AS message
  WHERE project_id = $1 AND (sandbox OR NOT $2) AND is_system IS NOT TRUE
    AND ($3::text IS NULL OR EXISTS (SELECT FROM message_threads WHERE id = message.thread_id AND agent = $3))`;

/** Messages and the conversations that they belong to. */
export class Messages {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Adds to the conversation with a person, and begins it with its first message. An agent keeps a conversation. */
  async touchThread(tx: Queryable, touch: ThreadTouch): Promise<MessageThreadRow> {
    const [row] = await tx.query<MessageThreadRow>(
      `INSERT INTO message_threads AS thread
         (id, organization_id, project_id, sandbox, channel, address, sender, agent, last_message_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       ON CONFLICT (project_id, channel, address, sandbox) DO UPDATE SET
         last_message_at = greatest(thread.last_message_at, excluded.last_message_at),
         sender = coalesce(excluded.sender, thread.sender), agent = coalesce(thread.agent, excluded.agent)
       RETURNING *`,
      [
        ...[touch.id, touch.organization_id, touch.project_id, touch.sandbox, touch.channel, touch.address],
        ...[touch.sender, touch.agent, touch.last_message_at],
      ],
      { prepared: true },
    );
    if (!row) throw new Error('an upsert returns its row');
    return row;
  }

  /** The conversation of a project with a person; null if there is none yet. */
  async threadWith(
    { projectId, sandbox }: { readonly projectId: string; readonly sandbox: boolean },
    channel: Channel,
    address: string,
  ): Promise<MessageThreadRow | null> {
    const [row] = await this.db.query<MessageThreadRow>(
      `SELECT * FROM message_threads WHERE project_id = $1 AND channel = $2 AND address = $3 AND sandbox = $4`,
      [projectId, channel, address, sandbox],
      { prepared: true },
    );
    return row ?? null;
  }

  async add(tx: Queryable, row: MessageRow): Promise<void> {
    await tx.query(
      `INSERT INTO messages SELECT * FROM jsonb_populate_record(NULL::messages, $1)`,
      [JSON.stringify(row)],
      { prepared: true },
    );
  }

  /** When a person wrote last; null: never. */
  async lastInboundAt(
    { projectId, sandbox }: { readonly projectId: string; readonly sandbox: boolean },
    channel: Channel,
    address: string,
  ): Promise<Date | null> {
    const [row] = await this.db.query<{ at: Date | null }>(
      `SELECT max(message.created_at) AS at FROM message_threads AS thread
       JOIN messages AS message ON message.thread_id = thread.id AND message.direction = 'inbound'
       WHERE thread.project_id = $1 AND thread.channel = $2 AND thread.address = $3 AND thread.sandbox = $4`,
      [projectId, channel, address, sandbox],
      { prepared: true },
    );
    return row?.at ?? null;
  }

  /**
   * Notes that an incoming message has this id at its provider.
   * @returns false if a message has it already: the provider repeats itself
   */
  async claimIncoming(tx: Queryable, provider: string, providerId: string): Promise<boolean> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${provider} ${providerId}`]);
    return (await this.idAt(tx, provider, providerId)) === null;
  }

  async addIncomingId(tx: Queryable, messageId: string, provider: string, providerId: string): Promise<void> {
    await tx.query(
      `INSERT INTO message_parts (message_id, part, state, provider, provider_id) VALUES ($1, 1, 'delivered', $2, $3)`,
      [messageId, provider, providerId],
    );
  }

  /** The message with this id at a provider; null if there is none. */
  async idAt(tx: Queryable, provider: string, providerId: string): Promise<string | null> {
    const [row] = await tx.query<{ message_id: string }>(
      `SELECT message_id FROM message_parts WHERE provider_id = $2 AND provider = $1 LIMIT 1`,
      [provider, providerId],
    );
    return row?.message_id ?? null;
  }

  /** The id at its provider of a message of a conversation; null if it is not of it, or has none. Empty in the sandbox. */
  async inConversation(
    { projectId, sandbox }: { readonly projectId: string; readonly sandbox: boolean },
    channel: Channel,
    address: string,
    id: string,
  ): Promise<string | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<{ provider_id: string | null }>(
      `SELECT part.provider_id FROM messages AS message
       JOIN message_threads AS thread ON thread.id = message.thread_id
       LEFT JOIN message_parts AS part ON part.message_id = message.id AND part.part = 1
       WHERE message.id = $5 AND thread.project_id = $1 AND thread.sandbox = $2 AND thread.channel = $3
         AND thread.address = $4`,
      [projectId, sandbox, channel, address, id],
    );
    return sandbox && row ? (row.provider_id ?? '') : (row?.provider_id ?? null);
  }

  /** The id that a message of one part has at its provider; null if it has none. */
  async providerIdOf(id: string): Promise<string | null> {
    const [row] = await this.db.query<{ provider_id: string | null }>(
      `SELECT provider_id FROM message_parts WHERE message_id = $1 AND part = 1`,
      [id],
    );
    return row?.provider_id ?? null;
  }

  /** Marks an incoming message and those before it in the conversation. */
  async markRead({ id, thread_id }: Pick<MessageRow, 'id' | 'thread_id'>, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE messages SET read_at = $3 WHERE thread_id = $2 AND direction = 'inbound' AND read_at IS NULL AND id <= $1`,
      [id, thread_id, at],
    );
  }

  /** How many incoming messages of these conversations nobody has marked as read, by conversation; none: absent. */
  async unread(threadIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (threadIds.length === 0) return new Map();
    const rows = await this.db.query<{ thread_id: string; count: number }>(
      `SELECT thread_id, count(*)::int AS count FROM messages
       WHERE thread_id = ANY ($1::uuid[]) AND direction = 'inbound' AND read_at IS NULL GROUP BY thread_id`,
      [threadIds],
    );
    return new Map(rows.map(({ thread_id, count }) => [thread_id, count]));
  }

  /** The message created by a request of this key, or null. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageRow | null> {
    const [row] = await this.db.query<MessageRow>(
      `SELECT * FROM messages WHERE request_id = $3 AND project_id = $1 AND created_by_key = $2`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Null for a malformed id, and for a message that the scope does not show. */
  async get(scope: CallScope, id: string): Promise<MessageRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<MessageRow>(`${MESSAGES} AND id = $4`, [...valuesOf(scope), id]);
    return row ?? null;
  }

  /** Up to `limit` messages after a position, newest first. */
  list(
    scope: CallScope,
    filter: MessageFilter,
    { limit, after }: { readonly limit: number; readonly after: Position | null },
  ): Promise<MessageRow[]> {
    return this.db.query<MessageRow>(
      `${MESSAGES}
         AND ($4::text IS NULL OR message.channel = $4) AND ($5::text IS NULL OR message.status = $5)
         AND ($6::text IS NULL OR message.direction = $6) AND ($7::text IS NULL OR message.recipient = $7)
         AND ($8::uuid IS NULL OR message.thread_id = $8)
         AND ($9::timestamptz IS NULL OR message.created_at >= $9)
         AND ($10::timestamptz IS NULL OR message.created_at <= $10)
         AND ($11::timestamptz IS NULL OR (message.created_at, message.id) < ($11, $12::uuid))
       ORDER BY message.created_at DESC, message.id DESC LIMIT $13`,
      [
        ...valuesOf(scope),
        ...[filter.channel, filter.status, filter.direction, filter.to, filter.threadId],
        ...[filter.createdFrom, filter.createdTo, after?.createdAt ?? null, after?.id ?? null, limit],
      ],
    );
  }

  /** Cancels a scheduled message that no process submits yet. @returns null if it is not such a message */
  async cancel(id: string): Promise<MessageRow | null> {
    const [row] = await this.db.query<MessageRow>(
      `UPDATE messages SET status = 'cancelled', due_at = NULL, fallback_at = NULL
       WHERE id = $1 AND direction = 'outbound' AND status = 'queued' AND scheduled_at IS NOT NULL AND due_at IS NOT NULL
       RETURNING *`,
      [id],
    );
    return row ?? null;
  }

  async thread(scope: CallScope, id: string): Promise<MessageThreadRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<MessageThreadRow>(`SELECT * FROM message_threads WHERE ${THREADS} AND id = $4`, [
      ...valuesOf(scope),
      id,
    ]);
    return row ?? null;
  }

  /** Up to `limit` conversations after a position, the last ones first. */
  threads(
    scope: CallScope,
    { channel, address, agent, chat }: ThreadFilter,
    { limit, after }: { readonly limit: number; readonly after: Position | null },
  ): Promise<MessageThreadRow[]> {
    return this.db.query<MessageThreadRow>(
      `SELECT * FROM message_threads AS thread WHERE ${THREADS}
         AND ($4::text IS NULL OR channel = $4) AND ($5::text IS NULL OR address = $5)
         AND ($6::timestamptz IS NULL OR (last_message_at, id) < ($6, $7::uuid))
         AND ($9::text IS NULL OR agent = $9)
         AND ($10::text IS NULL OR EXISTS (
           SELECT FROM webchats WHERE thread_id = thread.id AND (status = 'closed') = ($10 = 'closed')))
       ORDER BY last_message_at DESC, id DESC LIMIT $8`,
      [...valuesOf(scope), channel, address, after?.createdAt ?? null, after?.id ?? null, limit, agent, chat],
    );
  }

  /** The last messages of a conversation, oldest first, without those that wait, failed or were cancelled. */
  async ofThread(threadId: string, limit: number): Promise<MessageRow[]> {
    const rows = await this.db.query<MessageRow>(
      `SELECT * FROM messages WHERE thread_id = $1 AND status IN ('received', 'sent', 'delivered', 'read')
       ORDER BY id DESC LIMIT $2`,
      [threadId, limit],
    );
    return rows.reverse();
  }

  /** Who has a conversation. */
  async agentOf(tx: Queryable, id: string): Promise<string | null> {
    const [row] = await tx.query<{ agent: string | null }>(`SELECT agent FROM message_threads WHERE id = $1`, [id]);
    return row?.agent ?? null;
  }

  async setAgent(tx: Queryable, id: string, agent: string | null): Promise<void> {
    await tx.query(`UPDATE message_threads SET agent = $2 WHERE id = $1`, [id, agent]);
  }

  /** Gives a conversation to an agent, or to nobody. @returns null for one of the other kind or project */
  async assign(
    tx: Queryable,
    { projectId, sandbox }: { readonly projectId: string; readonly sandbox: boolean },
    id: string,
    agent: string | null,
  ): Promise<MessageThreadRow | null> {
    const [row] = await tx.query<MessageThreadRow>(
      `UPDATE message_threads SET agent = $4 WHERE id = $3 AND project_id = $1 AND sandbox = $2 RETURNING *`,
      [projectId, sandbox, id, agent],
    );
    return row ?? null;
  }
}

function valuesOf({ projectId, sandboxOnly, agent }: CallScope): readonly unknown[] {
  return [projectId, sandboxOnly, agent ?? null];
}
