import type { Api } from './common/api.js';

/** A conversation with a visitor, as the API shows it. */
export interface Chat {
  readonly thread_id: string;
  /** The visitor. */
  readonly with: string;
  readonly agent: string | null;
  readonly unread: number;
  readonly last_message_at: string;
  readonly chat: {
    readonly status: 'waiting' | 'offered' | 'assigned' | 'closed';
    readonly queue_id: string | null;
    readonly visitor_name: string | null;
    readonly language: 'ar' | 'en';
    readonly offered_until: string | null;
  };
}

export interface ChatMessage {
  readonly message_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly text: string | null;
  readonly status: string;
  readonly content: { readonly media: { readonly file_name: string | null } | null } | null;
  readonly created_at: string;
}

export interface MessagePage {
  /** The newest first. */
  readonly data: readonly ChatMessage[];
  readonly next_cursor: string | null;
}

/** What is sent to a visitor. */
export type Outgoing = { readonly text: string } | { readonly file: { readonly id: string; readonly kind: string } };

const MOST_CHATS = 100;
const PAGE = 50;

/** What the page requests from the API about chats. Everything throws Refused. */
export class ChatRequests {
  constructor(
    private readonly api: Api,
    private readonly agent: string,
  ) {}

  /** The agent's open chats, with those that are offered. */
  async open(): Promise<readonly Chat[]> {
    const query = `channel=webchat&chat=open&agent=${encodeURIComponent(this.agent)}&limit=${MOST_CHATS}`;
    return (await this.api.ask<{ data: Chat[] }>('GET', `/messages/threads?${query}`)).data;
  }

  messages(threadId: string, cursor: string | null): Promise<MessagePage> {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.api.ask('GET', `/messages?thread_id=${threadId}&limit=${PAGE}${after}`);
  }

  /** @param key makes a repeat harmless */
  send(visitor: string, what: Outgoing, key: string): Promise<ChatMessage> {
    const content =
      'text' in what ? { text: what.text } : { media: [{ kind: what.file.kind, media_id: what.file.id }] };
    const body = { channel: 'webchat', to: visitor, ...content };
    return this.api.ask('POST', '/messages', body, { 'Idempotency-Key': key });
  }

  async upload(file: File): Promise<{ readonly id: string; readonly kind: string }> {
    const form = new FormData();
    form.set('file', file);
    const answer = await this.api.fetch('POST', '/messages/media', { form });
    const { media_id: id, kinds } = (await answer.json()) as { media_id: string; kinds: string[] };
    return { id, kind: kinds[0] ?? 'document' };
  }

  async file(messageId: string): Promise<Blob> {
    return (await this.api.fetch('GET', `/messages/${messageId}/media`)).blob();
  }

  accept(threadId: string): Promise<Chat> {
    return this.#post(threadId, 'accept', { agent: this.agent });
  }

  decline(threadId: string): Promise<Chat> {
    return this.#post(threadId, 'decline', { agent: this.agent });
  }

  close(threadId: string): Promise<Chat> {
    return this.#post(threadId, 'close');
  }

  /** @param agent null: the queue */
  async give(threadId: string, agent: string | null): Promise<void> {
    await this.api.ask('PATCH', `/messages/threads/${threadId}`, { agent });
  }

  async type(threadId: string): Promise<void> {
    await this.#post(threadId, 'typing');
  }

  /** Asks the visitor to talk. */
  async proposeCall(threadId: string): Promise<void> {
    await this.#post(threadId, 'call');
  }

  /** The agent has seen this message of the visitor, and those before. */
  async read(messageId: string): Promise<void> {
    await this.api.ask('POST', `/messages/${messageId}/read`);
  }

  #post(threadId: string, action: string, json?: object): Promise<Chat> {
    return this.api.ask('POST', `/messages/threads/${threadId}/${action}`, json);
  }
}
