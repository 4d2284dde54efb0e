import { TYPING_SHOWN_MS } from '../shared/typing.js';
import type { Api, Refused } from './common/api.js';
import { ChatMemory, type Unsent } from './chat-memory.js';
import { ChatOutbox } from './chat-outbox.js';
import { ChatRequests, type Chat, type ChatMessage } from './chat-requests.js';
import { Feed } from './common/feed.js';

export type VisitorState = 'online' | 'away' | 'gone';

/** What the platform reports while it happens; `ready` comes first after each connection. */
interface ChatNews {
  readonly event: string;
  readonly thread_id?: string;
  readonly state?: VisitorState;
  readonly step?: 'proposed' | 'accepted' | 'declined';
}

/** What the page does about what happens. */
export interface ChatEvents {
  /** Something that is shown has changed. */
  readonly changed: () => void;
  readonly offered: (chat: Chat) => void;
  /** A visitor has written in a chat of the agent. */
  readonly wrote: (chat: Chat) => void;
  /** The chat is not the agent's any more, or was closed. */
  readonly gone: (chat: Chat) => void;
  /** The visitor answers the proposal to talk. */
  readonly callAnswered: (threadId: string, step: 'accepted' | 'declined') => void;
  /** What the agent wrote was not taken. */
  readonly failed: (unsent: Unsent, error: unknown) => void;
  readonly refused: (refusal: Refused) => void;
}

/** What was written in a conversation, as far as the page has read it. */
interface Written {
  readonly messages: Map<string, ChatMessage>;
  /** Where the messages before these are; null: there are none. */
  earlier: string | null;
}

/** What the feed does not report is found at this interval. */
const LOOK_MS = 20_000;

/** The open chats of an agent. What counts is read from the platform: when the feed reports something, and from time to time. */
export class Chats {
  readonly requests: ChatRequests;
  readonly memory: ChatMemory;
  readonly outbox: ChatOutbox;
  readonly #feed: Feed;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #written = new Map<string, Written>();
  readonly #visitors = new Map<string, VisitorState>();
  readonly #typing = new Map<string, number>();
  /** The last message that was reported as read. */
  readonly #seen = new Map<string, string>();
  #open: ReadonlyMap<string, Chat> = new Map();
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  isOnline = true;

  constructor(
    api: Api,
    user: { readonly id: string; readonly agent: string },
    private readonly events: ChatEvents,
  ) {
    this.requests = new ChatRequests(api, user.agent);
    this.memory = new ChatMemory(user.id);
    this.outbox = new ChatOutbox({
      ...{ requests: this.requests, memory: this.memory, onFailed: events.failed },
      onChanged: (threadId, sent) => {
        if (sent) this.#add(threadId, [sent]);
        events.changed();
      },
    });
    this.#feed = new Feed({
      ...{ api, path: '/messages/threads/stream' },
      onNews: (event, data) => this.#hear({ ...data, event }),
      onOnline: (isOnline) => {
        this.isOnline = isOnline;
        events.changed();
      },
      onRefused: events.refused,
    });
    this.#timer = setInterval(() => void this.read(), LOOK_MS);
    void this.#feed.run();
    void this.outbox.flush();
  }

  /** The newest offer first, then by the last message. */
  get all(): readonly Chat[] {
    const rank = ({ chat }: Chat): number => (chat.status === 'offered' ? 0 : 1);
    const chats = [...this.#open.values()];
    return chats.sort((a, b) => rank(a) - rank(b) || (a.last_message_at < b.last_message_at ? 1 : -1));
  }

  /** The oldest first. */
  messages(threadId: string): readonly ChatMessage[] {
    const messages = [...(this.#written.get(threadId)?.messages.values() ?? [])];
    return messages.sort((a, b) => (a.message_id < b.message_id ? -1 : 1));
  }

  hasEarlier(threadId: string): boolean {
    return (this.#written.get(threadId)?.earlier ?? null) !== null;
  }

  visitor(threadId: string): VisitorState {
    return this.#visitors.get(threadId) ?? 'gone';
  }

  isTyping(threadId: string): boolean {
    return (this.#typing.get(threadId) ?? 0) > Date.now();
  }

  /** Reads the chats again, and what was written in them. A failure is made good by the next one. */
  read(): Promise<void> {
    if (this.#reading) {
      // What happened since that one began is found by the next one.
      this.#next ??= this.#reading.then(() => {
        this.#next = null;
        return this.read();
      });
      return this.#next;
    }
    this.#reading = this.#readAll().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async readEarlier(threadId: string): Promise<void> {
    const written = this.#written.get(threadId);
    if (written?.earlier == null) return;
    const { data, next_cursor } = await this.requests.messages(threadId, written.earlier);
    written.earlier = next_cursor;
    this.#add(threadId, data);
    this.events.changed();
  }

  /** The agent has seen the messages. */
  async see(chat: Chat): Promise<void> {
    const last = this.messages(chat.thread_id)
      .filter(({ direction }) => direction === 'inbound')
      .at(-1);
    if (chat.unread === 0 || !last || this.#seen.get(chat.thread_id) === last.message_id) return;
    this.#seen.set(chat.thread_id, last.message_id);
    await this.requests.read(last.message_id).catch(() => undefined);
    await this.read();
  }

  stop(): void {
    this.#feed.stop();
    this.outbox.stop();
    clearInterval(this.#timer);
  }

  #hear({ event, thread_id: threadId = '', state = 'gone', step = 'proposed' }: ChatNews): void {
    if (event === 'visitor') this.#visitors.set(threadId, state);
    if (event === 'typing') {
      this.#typing.set(threadId, Date.now() + TYPING_SHOWN_MS);
      setTimeout(() => this.events.changed(), TYPING_SHOWN_MS);
    }
    if (event === 'call' && step !== 'proposed') this.events.callAnswered(threadId, step);
    if (['ready', 'changed', 'messages', 'gone'].includes(event)) void this.read();
    this.events.changed();
  }

  async #readAll(): Promise<void> {
    const before = this.#open;
    const open = await this.requests.open().catch(() => null);
    if (open === null) return;
    await Promise.all(open.map((chat) => this.#readMessages(chat, before.get(chat.thread_id)).catch(() => undefined)));
    this.#open = new Map(open.map((chat) => [chat.thread_id, chat]));
    for (const chat of open) this.#compare(chat, before.get(chat.thread_id));
    for (const [threadId, chat] of before) {
      if (this.#open.has(threadId)) continue;
      this.#written.delete(threadId);
      this.events.gone(chat);
    }
    this.events.changed();
  }

  #compare(chat: Chat, before: Chat | undefined): void {
    const { status, offered_until } = chat.chat;
    if (status === 'offered' && before?.chat.offered_until !== offered_until) this.events.offered(chat);
    if (status === 'assigned' && chat.unread > (before?.unread ?? 0)) this.events.wrote(chat);
  }

  /** The newest messages; where earlier ones are is known from the first time. */
  async #readMessages({ thread_id: threadId, last_message_at, unread }: Chat, before: Chat | undefined): Promise<void> {
    const known = this.#written.get(threadId);
    const isSame = before?.last_message_at === last_message_at && before.unread === unread;
    const isSettled = this.messages(threadId).every(
      ({ direction, status }) => direction === 'inbound' || status === 'read',
    );
    if (known && isSame && isSettled) return;
    const { data, next_cursor } = await this.requests.messages(threadId, null);
    if (!known) this.#written.set(threadId, { messages: new Map(), earlier: next_cursor });
    // A receipt of the agent's own message is news of the conversation, too, but the visitor may still be typing.
    if (known && data.some(({ message_id, direction }) => direction === 'inbound' && !known.messages.has(message_id)))
      this.#typing.delete(threadId);
    this.#add(threadId, data);
  }

  #add(threadId: string, messages: readonly ChatMessage[]): void {
    const written = this.#written.get(threadId);
    for (const message of messages) written?.messages.set(message.message_id, message);
  }
}
