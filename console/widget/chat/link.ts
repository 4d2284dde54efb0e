import { GrowingPause } from '../../shared/growing-pause.js';
import { newId } from '../../shared/ids.js';
import { TypingReports } from '../../shared/typing.js';
import type { Proofs } from '../proofs.js';
import { refusalOf, type ChatApi, type Refusal } from './api.js';

/** A message of the chat. */
export interface ChatMessage {
  readonly id: string;
  readonly from: 'visitor' | 'agent';
  readonly text: string;
  readonly file: { readonly id: string; readonly name: string } | null;
  readonly at: string;
}

export interface ChatState {
  readonly status: 'new' | 'waiting' | 'assigned' | 'closed';
  readonly agent: string | null;
  /** Who answered is away. */
  readonly left: boolean;
}

/** What the platform sends. */
type Frame =
  | { readonly type: 'welcome'; readonly chat: ChatState; readonly messages: readonly ChatMessage[] }
  | { readonly type: 'message'; readonly message: ChatMessage }
  | { readonly type: 'accepted'; readonly id: string; readonly message_id: string }
  | ({ readonly type: 'chat' } & ChatState)
  | { readonly type: 'typing' }
  | { readonly type: 'call'; readonly agent: string | null }
  | {
      readonly type: 'error';
      readonly error_code: string;
      readonly id: string | null;
      readonly retry_after_seconds: number | null;
    };

/** What the page keeps of a chat: its token, and what was written and is not stored yet. */
interface Kept {
  readonly token: string | null;
  readonly unsent: readonly { readonly id: string; readonly text: string }[];
}

export interface ChatLinkOptions {
  readonly api: ChatApi;
  readonly proofs: Proofs;
  readonly language: 'ar' | 'en';
  /** Names the place in the browser where the chat is kept. */
  readonly key: string;
  readonly onMessage: (message: ChatMessage) => void;
  readonly onState: (state: ChatState) => void;
  /** Own messages that the platform does not have yet. */
  readonly onUnsent: (texts: readonly string[]) => void;
  readonly onTyping: () => void;
  /** An agent would like to talk. @param agent the name */
  readonly onCallProposed: (agent: string | null) => void;
  readonly onOnline: (isOnline: boolean) => void;
  readonly onRefused: (refusal: Refusal) => void;
}

const LONGEST_PAUSE_MS = 30_000;

/**
 * The connection of a visitor's chat. It comes back by itself, and sends what was written in between: each message until the
 * platform has confirmed that it is stored.
 */
export class ChatLink {
  #socket: WebSocket | null = null;
  #kept: Kept;
  #isOpen = false;
  #isBeginning = false;
  readonly #pauses = new GrowingPause(LONGEST_PAUSE_MS);
  readonly #typing = new TypingReports(() => this.#send({ type: 'typing' }));
  readonly #known = new Set<string>();

  constructor(private readonly options: ChatLinkOptions) {
    this.#kept = this.#read();
    addEventListener('online', () => this.#connect());
    document.addEventListener('visibilitychange', () => this.#reportPresence());
  }

  /** Connects if the visitor has a chat. */
  resume(): void {
    if (this.#kept.token !== null) this.#connect();
    else if (this.#kept.unsent.length > 0) void this.#begin(null);
    this.options.onUnsent(this.#kept.unsent.map(({ text }) => text));
  }

  get hasChat(): boolean {
    return this.#kept.token !== null;
  }

  /** Opens the chat; null before the first message. */
  get token(): string | null {
    return this.#kept.token;
  }

  /** @throws Refused */
  async sendFile(file: File): Promise<void> {
    if (this.#kept.token !== null) await this.options.api.sendFile(this.#kept.token, newId(), file);
  }

  /** @param name of a visitor who writes for the first time */
  write(text: string, name: string | null): void {
    this.#keep({ ...this.#kept, unsent: [...this.#kept.unsent, { id: newId(), text }] });
    this.#typing.end();
    if (this.#kept.token === null) void this.#begin(name);
    else this.#flush();
  }

  /** The visitor is typing. */
  type(): void {
    this.#typing.type();
  }

  read(ids: readonly string[]): void {
    if (ids.length > 0) this.#send({ type: 'read', message_ids: ids.slice(-100) });
  }

  end(): void {
    this.#send({ type: 'end' });
  }

  /** The visitor would like to talk with the agent who proposed it, or would not. */
  answerCall(answer: 'accepted' | 'declined'): void {
    this.#send({ type: 'call', answer });
  }

  #reportPresence(): void {
    this.#send({ type: 'presence', state: document.hidden ? 'away' : 'online' });
  }

  async #begin(name: string | null): Promise<void> {
    const { api, proofs, language, onRefused } = this.options;
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      const begun = await proofs.with((proof) => api.begin({ language, ...(name !== null && { name }), ...proof }));
      this.#keep({ ...this.#kept, token: begun.token });
      this.#connect();
    } catch (error) {
      const refusal = refusalOf(error);
      onRefused(refusal);
      // What was written stays in the page, and is sent with the next try.
      if (refusal.code === null) setTimeout(() => void this.#begin(name), this.#pauses.next());
    } finally {
      this.#isBeginning = false;
    }
  }

  #connect(): void {
    const { api } = this.options;
    if (this.#socket !== null || this.#kept.token === null) return;
    const socket = api.socket();
    this.#socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token: this.#kept.token }));
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#receive(JSON.parse(data) as Frame);
    socket.onclose = () => {
      this.#socket = null;
      this.#isOpen = false;
      this.options.onOnline(false);
      setTimeout(() => this.#connect(), this.#pauses.next());
    };
  }

  #receive(frame: Frame): void {
    const { onState, onTyping, onOnline } = this.options;
    switch (frame.type) {
      case 'welcome':
        this.#pauses.reset();
        this.#isOpen = true;
        onOnline(true);
        onState(frame.chat);
        this.#show(frame.messages);
        this.#flush();
        if (document.hidden) this.#reportPresence();
        break;
      case 'message':
        this.#show([frame.message]);
        break;
      case 'accepted': {
        const sent = this.#kept.unsent.find(({ id }) => id === frame.id);
        this.#drop(frame.id);
        if (sent) {
          const { message_id: id } = frame;
          this.#show([{ id, from: 'visitor', text: sent.text, file: null, at: new Date().toISOString() }]);
        }
        break;
      }
      case 'chat':
        onState(frame);
        break;
      case 'typing':
        onTyping();
        break;
      case 'call':
        this.options.onCallProposed(frame.agent);
        break;
      case 'error':
        this.#refused(frame);
    }
  }

  /** Shows new messages, and confirms those of agents. */
  #show(messages: readonly ChatMessage[]): void {
    const fresh = messages.filter(({ id }) => !this.#known.has(id));
    for (const message of fresh) {
      this.#known.add(message.id);
      this.options.onMessage(message);
    }
    const own = fresh.filter(({ from }) => from === 'agent').map(({ id }) => id);
    if (own.length > 0) this.#send({ type: 'delivered', message_ids: own });
  }

  #refused({ error_code, id, retry_after_seconds }: Extract<Frame, { type: 'error' }>): void {
    // The chat is over: what is written next begins another one.
    if (error_code === 'NOT_FOUND') this.#keep({ ...this.#kept, token: null });
    if (id === null) return;
    this.options.onRefused({ code: error_code, retryAfterSeconds: retry_after_seconds ?? 0 });
    if (error_code === 'VALIDATION_ERROR') this.#drop(id);
    else setTimeout(() => this.#flush(), ((retry_after_seconds ?? 0) + 1) * 1_000);
  }

  #flush(): void {
    this.options.onUnsent(this.#kept.unsent.map(({ text }) => text));
    if (!this.#isOpen) return;
    for (const { id, text } of this.#kept.unsent) this.#send({ type: 'message', id, text });
  }

  #drop(id: string): void {
    this.#keep({ ...this.#kept, unsent: this.#kept.unsent.filter((one) => one.id !== id) });
    this.options.onUnsent(this.#kept.unsent.map(({ text }) => text));
  }

  #send(frame: object): void {
    if (this.#isOpen && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  get #place(): string {
    return `hatif-chat-${this.options.key}`;
  }

  #read(): Kept {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#place) ?? 'null') as Partial<Kept> | null;
      return { token: kept?.token ?? null, unsent: kept?.unsent ?? [] };
    } catch {
      return { token: null, unsent: [] };
    }
  }

  /** A browser that keeps nothing forgets the chat with the page. */
  #keep(kept: Kept): void {
    this.#kept = kept;
    try {
      localStorage.setItem(this.#place, JSON.stringify(kept));
    } catch {
      // Private windows of some browsers.
    }
  }
}
