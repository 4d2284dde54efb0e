import { covers, type CallScope } from '../../../data/repositories/calls/calls.js';
import type { PlacedChat, Webchats } from '../../../data/repositories/messaging/webchats.js';
import type { CallStep, VisitorState } from '../../../model/messaging/webchat.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { ChatSignal, ChatSignals } from '../../../ports/messaging/chat-signals.js';
import { Waker } from '../../runtime/waker.js';
import { VisitorPresence } from './visitor-presence.js';

/** What a follower of chats learns. It is a hint: what counts is stored, and where a visitor is is stored nowhere. */
export type ChatNote =
  /** From now on nothing is missed. */
  { readonly type: 'ready' } | ({ readonly threadId: string } & News);

type News =
  /** The status, or who has it, has changed. */
  | { readonly type: 'changed' }
  /** There are messages to read, or the visitor has read some. */
  | { readonly type: 'messages' }
  /** The follower does not see the conversation any more. */
  | { readonly type: 'gone' }
  | { readonly type: 'visitor'; readonly state: VisitorState }
  | { readonly type: 'typing' }
  | { readonly type: 'call'; readonly step: CallStep };

export interface FollowChatsOptions {
  readonly chats: Pick<Webchats, 'placed' | 'openOf'>;
  readonly signals: ChatSignals;
  readonly clock: Clock;
  readonly log: Logger;
}

type Heard = Exclude<News, { type: 'visitor' }> | { readonly type: 'visitor' };

interface Follower {
  readonly scope: CallScope;
  /** The conversations that an agent sees, by chat. Who sees all of the project loses none. */
  readonly seen: Map<string, string>;
  /** What it has not taken yet: of each kind and conversation, the last one. */
  readonly notes: Map<string, Exclude<ChatNote, { type: 'ready' }>>;
  readonly waker: Waker;
}

/** A follower learns at the beginning where these visitors are. */
const MOST_OPEN = 500;

/**
 * Reports to agents what happens in the chats that they see, while it happens. Whose a chat is is read for each piece of
 * news, so nobody learns of the chats of others.
 */
export class FollowChats {
  readonly #followers = new Set<Follower>();
  readonly #presence: VisitorPresence;
  readonly #stopHearing: () => void;
  /** News that is not passed on yet, by chat and type. Where a visitor is is looked up when it is passed on. */
  #news = new Map<string, Map<string, Heard>>();
  #isReporting = false;

  constructor(private readonly options: FollowChatsOptions) {
    const { signals, clock } = options;
    this.#stopHearing = signals.follow((signal) => this.#hear(signal));
    this.#presence = new VisitorPresence({
      signals,
      clock,
      onChange: (chatId) => this.#add(chatId, { type: 'visitor' }),
    });
  }

  /**
   * Yields `ready`, where the visitors of open chats are, and what happens, until `end` is aborted.
   * @throws DatabaseUnavailable
   */
  async *follow(scope: CallScope, end: AbortSignal): AsyncGenerator<ChatNote> {
    const follower: Follower = { scope, seen: new Map(), notes: new Map(), waker: new Waker(end) };
    this.#followers.add(follower);
    try {
      for (const { id, thread_id: threadId } of await this.options.chats.openOf(scope, MOST_OPEN)) {
        see(follower, id, threadId);
        note(follower, { threadId, type: 'visitor', state: this.#presence.of(id) });
      }
      yield { type: 'ready' };
      while (!end.aborted) {
        const notes = [...follower.notes.values()];
        follower.notes.clear();
        for (const one of notes) yield one;
        if (follower.notes.size === 0) await follower.waker.sleep();
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  async stop(): Promise<void> {
    this.#stopHearing();
    await this.#presence.stop();
  }

  #hear(signal: ChatSignal): void {
    switch (signal.kind) {
      case 'messages':
      case 'receipts':
        this.#add(signal.chatId, { type: 'messages' });
        break;
      case 'changed':
        this.#add(signal.chatId, { type: 'changed' });
        break;
      case 'typing':
        if (signal.by === 'visitor') this.#add(signal.chatId, { type: 'typing' });
        break;
      case 'call':
        this.#add(signal.chatId, { type: 'call', step: signal.step });
        break;
      case 'presence':
      case 'roll_call':
    }
  }

  #add(chatId: string, heard: Heard): void {
    if (this.#followers.size === 0) return;
    const known = this.#news.get(chatId) ?? new Map<string, Heard>();
    known.set(heard.type, heard);
    this.#news.set(chatId, known);
    if (!this.#isReporting) void this.#reportAll();
  }

  async #reportAll(): Promise<void> {
    this.#isReporting = true;
    while (this.#news.size > 0) {
      const news = this.#news;
      this.#news = new Map();
      try {
        const placed = await this.options.chats.placed([...news.keys()]);
        const places = new Map(placed.map((chat) => [chat.id, chat]));
        for (const [id, all] of news)
          for (const follower of this.#followers) this.#report(follower, id, places.get(id), all);
      } catch (error) {
        // Pages look for themselves from time to time.
        this.options.log.debug({ err: error }, 'failed to read whose chats these are');
      }
    }
    this.#isReporting = false;
  }

  #report(follower: Follower, id: string, chat: PlacedChat | undefined, all: ReadonlyMap<string, Heard>): void {
    const known = follower.seen.get(id);
    if (!chat || !covers(follower.scope, chat)) {
      follower.seen.delete(id);
      if (known !== undefined) note(follower, { threadId: known, type: 'gone' });
      return;
    }
    const { thread_id: threadId } = chat;
    see(follower, id, threadId);
    for (const heard of all.values()) if (heard.type !== 'visitor') note(follower, { threadId, ...heard });
    // Who sees a chat from now on does not know where the visitor is.
    if (all.has('visitor') || all.has('changed'))
      note(follower, { threadId, type: 'visitor', state: this.#presence.of(id) });
  }
}

function see({ scope, seen }: Follower, id: string, threadId: string): void {
  if ((scope.agent ?? null) !== null) seen.set(id, threadId);
}

function note(follower: Follower, one: Exclude<ChatNote, { type: 'ready' }>): void {
  follower.notes.set(`${one.type} ${one.threadId}`, one);
  follower.waker.wake();
}
