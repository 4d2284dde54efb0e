import type { Queryable } from '../../../data/database.js';
import { recordEvent } from '../../../data/outbox.js';
import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { WebchatChange, Webchats } from '../../../data/repositories/messaging/webchats.js';
import type { ProjectKind } from '../../../data/repositories/project-kind.js';
import type { Destination, MessageRow, WebchatRow } from '../../../data/rows.js';
import { HatifError } from '../../../model/errors/index.js';
import type { Clock } from '../../../ports/clock.js';
import type { ChatSignals } from '../../../ports/messaging/chat-signals.js';
import { unknownThread } from '../unknown.js';
import { chatEvent } from './present.js';

export interface ChatAssignmentOptions {
  readonly messages: Pick<Messages, 'setAgent' | 'agentOf'>;
  readonly chats: Webchats;
  /** The queue or agent that visitors of the widget write to; null: none. */
  readonly destination: (widgetId: string) => Promise<Destination | null>;
  readonly signals: Pick<ChatSignals, 'send'>;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

/** What a change of a chat sets: its status, and the agent who has it; absent: the same as before. */
interface NewState extends WebchatChange {
  readonly agent?: string | null;
}

const NOT_WAITING = { waiting_since: null, offered_until: null, declined_by: [] } as const;

/**
 * Changes who answers chats. A change, the agent of the conversation and the event are one transaction; of two changes at
 * the same time, the second one sees the first.
 */
export class ChatAssignment {
  constructor(private readonly options: ChatAssignmentOptions) {}

  /** The visitor wrote: a chat that nobody has waits for an agent. @returns the lanes that now have deliveries */
  async received(tx: Queryable, chatId: string, { thread_id, created_at: at }: MessageRow): Promise<readonly string[]> {
    const { chats, destination } = this.options;
    const chat = await chats.lock(tx, chatId);
    if (!chat || thread_id === null) return [];
    const seen = { thread_id, active_at: at };
    if (chat.status !== 'new' && chat.status !== 'closed') {
      await chats.change(tx, chat.id, seen);
      return [];
    }
    const to = await destination(chat.widget_id);
    const target = to?.target ?? null;
    if (to?.type === 'agent' && target !== null) {
      return this.#change(tx, chat, { ...seen, ...assignedAt(at), closed_at: null, agent: target });
    }
    return this.#change(tx, chat, {
      ...{ ...seen, ...waitingFrom(at), closed_at: null, left_at: null },
      queue_id: to?.type === 'queue' ? target : null,
    });
  }

  /** Somebody wrote to the visitor. An agent who does takes a chat that waits. */
  async answered(tx: Queryable, row: MessageRow): Promise<readonly string[]> {
    const { chats } = this.options;
    const chat = await chats.lock(tx, row.recipient);
    if (!chat) return [];
    const seen = { active_at: row.created_at };
    if (row.agent === null || (chat.status !== 'waiting' && chat.status !== 'offered')) {
      await chats.change(tx, chat.id, { ...seen, ...(row.agent !== null && { left_at: null }) });
      return [];
    }
    const from_offer = chat.status === 'offered';
    return this.#change(tx, chat, { ...seen, ...assignedAt(row.created_at), from_offer, agent: row.agent });
  }

  /** A conversation was given to an agent, or to nobody: then its queue is asked. @param before who had it */
  async given(
    tx: Queryable,
    threadId: string,
    kind: ProjectKind,
    { agent, before }: { readonly agent: string | null; readonly before: string | null },
  ): Promise<readonly string[]> {
    const { chats, clock } = this.options;
    const chat = await chats.lockThread(tx, kind, threadId);
    if (!chat) return [];
    const at = clock.now();
    const state = agent === null ? { ...waitingFrom(at), ...abandoned(chat, at, before) } : assignedAt(at);
    return this.#change(tx, chat, { ...state, agent, closed_at: null });
  }

  /**
   * An agent takes a chat that is offered to this agent, or that waits. A repeat changes nothing.
   * @throws HatifError NOT_FOUND, CHAT_NOT_OFFERED
   */
  accept(kind: ProjectKind, threadId: string, agent: string): Promise<WebchatRow> {
    return this.#do(kind, threadId, (chat, has) => {
      if (chat.status === 'assigned' && has === agent) return null;
      const isFree = chat.status === 'waiting' || (chat.status === 'offered' && has === agent);
      if (!isFree) throw notOffered(threadId);
      return { ...assignedAt(this.options.clock.now()), from_offer: chat.status === 'offered', agent };
    });
  }

  /** An agent does not take a chat: it is offered to another one. @throws HatifError NOT_FOUND, CHAT_NOT_OFFERED */
  decline(kind: ProjectKind, threadId: string, agent: string): Promise<WebchatRow> {
    return this.#do(kind, threadId, (chat, has) => {
      if (chat.status === 'waiting' && chat.declined_by.includes(agent)) return null;
      if (chat.status !== 'offered' || has !== agent) throw notOffered(threadId);
      return declinedBy(chat, agent);
    });
  }

  /**
   * The agent has left. The queue of the chat is asked for another one; without a queue, the agent keeps the chat, and the
   * visitor learns that nobody is there. Nothing changes if the agent does not have it any more.
   * @throws HatifError NOT_FOUND
   */
  left(kind: ProjectKind, threadId: string, agent: string): Promise<WebchatRow> {
    return this.#do(kind, threadId, (chat, has) => {
      if (chat.status !== 'assigned' || has !== agent) return null;
      const at = this.options.clock.now();
      if (chat.queue_id === null) return { left_at: chat.left_at ?? at };
      return { ...waitingFrom(at), ...abandoned(chat, at, agent), agent: null };
    });
  }

  /** The agent who has the chat is there again. @throws HatifError NOT_FOUND */
  back(kind: ProjectKind, threadId: string, agent: string): Promise<WebchatRow> {
    return this.#do(kind, threadId, (chat, has) =>
      chat.status === 'assigned' && has === agent ? { left_at: null } : null,
    );
  }

  /** A repeat changes nothing. @throws HatifError NOT_FOUND */
  close(kind: ProjectKind, threadId: string): Promise<WebchatRow> {
    return this.#do(kind, threadId, (chat) => {
      if (chat.status === 'closed') return null;
      return { ...NOT_WAITING, status: 'closed', closed_at: this.options.clock.now(), left_at: null };
    });
  }

  /** Offers a chat that is locked. @param declined who did not accept it */
  offer(
    tx: Queryable,
    chat: WebchatRow,
    agent: string,
    { until, declined }: { readonly until: Date; readonly declined: readonly string[] },
  ): Promise<readonly string[]> {
    return this.#change(tx, chat, { status: 'offered', agent, offered_until: until, declined_by: declined });
  }

  /** Nobody is left to offer a chat to that is locked: it waits. */
  wait(tx: Queryable, chat: WebchatRow, declined: readonly string[]): Promise<readonly string[]> {
    return this.#change(tx, chat, { status: 'waiting', agent: null, offered_until: null, declined_by: declined });
  }

  /** The visitor's page reads the chat again; after the commit of a change. */
  announce(chatId: string): void {
    this.options.signals.send({ kind: 'changed', chatId });
  }

  async #do(
    kind: ProjectKind,
    threadId: string,
    decide: (chat: WebchatRow, agent: string | null) => NewState | null,
  ): Promise<WebchatRow> {
    const { chats, messages, wake } = this.options;
    const [row, lanes] = await chats.transaction(async (tx) => {
      const chat = await chats.lockThread(tx, kind, threadId);
      if (!chat) throw unknownThread(threadId);
      const state = decide(chat, await messages.agentOf(tx, threadId));
      const changed = state === null ? [] : await this.#change(tx, chat, state);
      return [await chats.lock(tx, chat.id), changed] as const;
    });
    if (!row) throw unknownThread(threadId);
    wake(lanes);
    this.announce(row.id);
    return row;
  }

  async #change(tx: Queryable, chat: WebchatRow, { agent, ...change }: NewState): Promise<readonly string[]> {
    const { chats, messages, clock } = this.options;
    const row = await chats.change(tx, chat.id, change);
    const threadId = row.thread_id ?? '';
    if (change.status === undefined && agent === undefined) return [];
    if (agent !== undefined) await messages.setAgent(tx, threadId, agent);
    const has = agent === undefined ? await messages.agentOf(tx, threadId) : agent;
    return recordEvent(tx, chatEvent(row, has, clock.now()));
  }
}

function waitingFrom(at: Date): NewState {
  return { status: 'waiting', waiting_since: at, offered_until: null, declined_by: [], assigned_at: null };
}

function assignedAt(at: Date): NewState {
  return { ...NOT_WAITING, status: 'assigned', assigned_at: at, from_offer: null, left_at: null };
}

/** The agent does not have it any more, and is asked again after all others. */
function abandoned(chat: WebchatRow, at: Date, agent: string | null): NewState {
  const left_at = chat.status === 'assigned' ? at : chat.left_at;
  return { left_at, from_offer: null, declined_by: agent === null ? [] : [agent] };
}

/** The agent lets a chat go. */
function declinedBy(chat: WebchatRow, agent: string): NewState {
  return { status: 'waiting', agent: null, offered_until: null, declined_by: [...chat.declined_by, agent] };
}

function notOffered(threadId: string): HatifError<'CHAT_NOT_OFFERED'> {
  return new HatifError('CHAT_NOT_OFFERED', { thread_id: threadId });
}
