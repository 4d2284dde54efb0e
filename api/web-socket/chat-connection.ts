import { WebSocket, type RawData } from 'ws';
import type { WebchatRow } from '../../core/data/rows.js';
import { HatifError, invalidField } from '../../core/model/errors/index.js';
import type { Logger } from '../../core/ports/logger.js';
import type { ChatSignal } from '../../core/ports/messaging/chat-signals.js';
import type { VisitorChats } from '../../core/services/messaging/webchat/visitor-chats.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import { asHatifError } from '../http/failures.js';
import { errorFrame, shownChat, shownMessage, visitorFrame, type PageFrame, type VisitorFrame } from './chat-frames.js';
import { CLOSE } from './relay.js';

export interface ChatConnectionOptions {
  readonly widget: WidgetContext;
  readonly chats: VisitorChats;
  /** The name of an agent, for visitors. */
  readonly nameOf: (projectId: string, agent: string) => Promise<string | null>;
  readonly log: Logger;
  /** The visitor is known now. */
  readonly onOpen: (chatId: string) => void;
  /** The page is looked at, or not any more. */
  readonly onPresence: (chatId: string) => void;
}

/** Whether the visitor looks at the page. */
export type PageState = 'online' | 'away';

/** More than a page that behaves sends. */
const MOST_FRAMES = 40;
const WINDOW_MS = 10_000;
/** The first frame must be there by then. */
const HELLO_MS = 10_000;
const PAGE_OF_HISTORY = 50;

/** The WebSocket of one visitor's page. Frames are handled one after another. */
export class ChatConnection {
  #chat: WebchatRow | null = null;
  #state: PageState = 'online';
  #work: Promise<void> = Promise.resolve();
  /** Messages that the page has, or that were sent to it. */
  readonly #sent = new Set<string>();
  #frames = { since: 0, count: 0 };
  /** A look that has not begun finds what happens until then. */
  #willLook = false;
  readonly #hello: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: ChatConnectionOptions,
  ) {
    this.#hello = setTimeout(() => socket.close(CLOSE.policy, 'no hello'), HELLO_MS);
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', () => clearTimeout(this.#hello));
    // `close` follows.
    socket.on('error', () => undefined);
  }

  get chat(): WebchatRow | null {
    return this.#chat;
  }

  get state(): PageState {
    return this.#state;
  }

  /** Something happened in the chat of this page. */
  hear(signal: ChatSignal): void {
    if (signal.kind === 'typing' && signal.by === 'agent') this.#send({ type: 'typing' });
    if (signal.kind === 'call' && signal.step === 'proposed') this.#then(() => this.#propose(signal.agent));
    if (signal.kind === 'messages' || signal.kind === 'changed') this.look();
  }

  /** Sends what the page does not have yet. */
  look(): void {
    if (this.#willLook) return;
    this.#willLook = true;
    this.#then(async () => {
      this.#willLook = false;
      if (this.#chat) await this.#update(this.#chat);
    });
  }

  #receive(data: RawData, isBinary: boolean): void {
    const now = performance.now();
    if (now - this.#frames.since > WINDOW_MS) this.#frames = { since: now, count: 0 };
    this.#frames.count += 1;
    if (this.#frames.count > MOST_FRAMES) {
      this.socket.close(CLOSE.policy, 'too many messages');
      return;
    }
    const frame = isBinary ? null : parsed(data);
    this.#then(() => this.#handle(frame), frame?.type === 'message' ? frame.id : null);
  }

  /** @param id that of the page's message which the work is about */
  #then(work: () => Promise<void>, id: string | null = null): void {
    this.#work = this.#work.then(async () => {
      if (this.socket.readyState !== WebSocket.OPEN) return;
      await work().catch((error: unknown) => this.#fail(error, id));
    });
  }

  #fail(error: unknown, id: string | null): void {
    const failure = asHatifError(error);
    if (failure.code === 'INTERNAL_ERROR') this.options.log.error({ err: error }, 'a chat failed');
    this.#send(errorFrame(failure, id));
    const isOver = ['NOT_FOUND', 'MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED'].includes(failure.code);
    if (isOver || this.#chat === null) this.socket.close(CLOSE.policy, failure.code);
  }

  async #handle(frame: VisitorFrame | null): Promise<void> {
    const { chats } = this.options;
    if (frame === null) throw invalidField('frame', BAD_FRAME);
    if (frame.type === 'hello') return this.#open(frame.token);
    const chat = this.#chat;
    if (chat === null) throw new HatifError('NOT_FOUND', { what: NO_HELLO });
    switch (frame.type) {
      case 'message': {
        const { id, text } = frame;
        const stored = await chats.write(chat, { clientId: id, text, content: null });
        this.#sent.add(stored.id);
        this.#send({ type: 'accepted', id, message_id: stored.id });
        return;
      }
      case 'delivered':
      case 'read':
        return chats.acknowledge(chat, frame.type, frame.message_ids);
      case 'history':
        return this.#earlier(chat, frame.before);
      case 'typing':
        chats.typing(chat);
        return;
      case 'presence':
        this.#state = frame.state;
        this.options.onPresence(chat.id);
        return;
      case 'call':
        chats.answerCall(chat, frame.answer);
        return;
      case 'end':
        return chats.end(chat);
    }
  }

  async #open(token: string): Promise<void> {
    const { chats, widget, onOpen } = this.options;
    if (this.#chat !== null) throw invalidField('frame', BAD_FRAME);
    const chat = await chats.open(widget, token);
    clearTimeout(this.#hello);
    this.#chat = chat;
    // From now on signals are heard: none is missed between the read and them.
    onOpen(chat.id);
    const { row, agent } = await chats.now(chat);
    const messages = (await chats.messages(row, null, PAGE_OF_HISTORY)).reverse();
    for (const { id } of messages) this.#sent.add(id);
    const name = agent === null ? null : await this.#name(row, agent);
    this.#send({ type: 'welcome', chat: shownChat(row, name), messages: messages.map(shownMessage) });
  }

  async #update(chat: WebchatRow): Promise<void> {
    const { chats } = this.options;
    const { row, agent } = await chats.now(chat);
    const before = this.#chat;
    this.#chat = row;
    for (const message of (await chats.messages(row, null, PAGE_OF_HISTORY)).reverse()) {
      if (this.#sent.has(message.id)) continue;
      this.#sent.add(message.id);
      this.#send({ type: 'message', message: shownMessage(message) });
    }
    if (before && placeOf(before) === placeOf(row)) return;
    this.#send({ type: 'chat', ...shownChat(row, agent === null ? null : await this.#name(row, agent)) });
  }

  async #earlier(chat: WebchatRow, before: string): Promise<void> {
    const row = (await this.options.chats.now(chat)).row;
    const messages = await this.options.chats.messages(row, before, PAGE_OF_HISTORY + 1);
    const page = messages.slice(0, PAGE_OF_HISTORY).reverse();
    for (const { id } of page) this.#sent.add(id);
    this.#send({ type: 'history', messages: page.map(shownMessage), more: messages.length > PAGE_OF_HISTORY });
  }

  /** An agent would like to talk with the visitor. */
  async #propose(agent: string | null): Promise<void> {
    if (this.#chat === null) return;
    this.#send({ type: 'call', agent: agent === null ? null : await this.#name(this.#chat, agent) });
  }

  #name({ project_id }: WebchatRow, agent: string): Promise<string | null> {
    return this.options.nameOf(project_id, agent);
  }

  #send(frame: PageFrame): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }
}

/** What the visitor sees of the state of a chat. */
function placeOf({ status, assigned_at, left_at }: WebchatRow): string {
  return [shownChat({ status, left_at }, null).status, assigned_at?.getTime(), left_at !== null].join();
}

function parsed(data: RawData): VisitorFrame | null {
  try {
    const text = Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString();
    return visitorFrame.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

const BAD_FRAME = { en: 'is not a valid frame of a chat', ar: 'ليس إطارًا صالحًا لمحادثة' };
const NO_HELLO = { en: 'the chat of this connection', ar: 'محادثة هذا الاتصال' };
