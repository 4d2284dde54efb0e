import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { HatifError, internalError } from '../../core/model/errors/index.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { ChatSignals } from '../../core/ports/messaging/chat-signals.js';
import { takeOrRefuse, type RateLimiter } from '../../core/services/access/rate-limit.js';
import type { VisitorChats } from '../../core/services/messaging/webchat/visitor-chats.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import { ChatConnection } from './chat-connection.js';
import { PresenceReports } from './presence-reports.js';
import { CLOSE, keepAlive } from './relay.js';
import type { Upgrade } from './upgrades.js';

export interface ChatSocketsOptions {
  readonly chats: VisitorChats;
  readonly signals: ChatSignals;
  /** Which of these conversations have messages that have not reached their visitors. */
  readonly undelivered: (threadIds: readonly string[]) => Promise<readonly string[]>;
  readonly nameOf: (projectId: string, agent: string) => Promise<string | null>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often messages are looked for that no signal announced; default 5 s. */
  readonly lookMs?: number;
}

/** A text of 4,096 characters, with escapes. */
const MAX_FRAME_BYTES = 32 * 1024;
/** Of one visitor: tabs, and connections that were lost. */
const MOST_OF_CHAT = 5;
const MOST_OF_ADDRESS = 50;
const CONNECTS = { limit: 60, seconds: 60 };
const PING_EVERY_MS = 25_000;
const LOOK_EVERY_MS = 5_000;
const CUT_MS = 1_000;
const TOO_MANY = { limit: MOST_OF_ADDRESS, window_seconds: 60, retry_after_seconds: 60 };

/** The WebSockets of visitors' chats in this process. */
export class ChatSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  /** By chat, the oldest first. */
  readonly #open = new Map<string, { readonly socket: WebSocket; readonly connection: ChatConnection }[]>();
  readonly #addresses = new Map<string, number>();
  readonly #sockets = new Set<WebSocket>();
  readonly #look: PeriodicWork;
  readonly #presence: PresenceReports;
  readonly #stopHearing: () => void;
  #isClosing = false;

  constructor(private readonly options: ChatSocketsOptions) {
    const { signals, clock, log, lookMs = LOOK_EVERY_MS } = options;
    this.#presence = new PresenceReports(signals, clock);
    this.#stopHearing = signals.follow((signal) => {
      if (signal.kind === 'roll_call') this.#presence.repeat();
      else if (signal.kind !== 'presence')
        for (const { connection } of this.#open.get(signal.chatId) ?? []) connection.hear(signal);
    });
    const onFailure = (err: unknown): void => log.warn({ err }, 'looking for messages to visitors failed');
    this.#look = new PeriodicWork({ work: () => this.#lookForAll(), everyMs: lookMs, clock, onFailure });
    this.#look.start();
  }

  /** The connections that are open now. */
  get count(): number {
    return this.#sockets.size;
  }

  /**
   * Takes the connection over.
   * @param onTaken called when no error can be answered any more
   * @throws HatifError MESSAGES_DISABLED, CHANNEL_NOT_CONFIGURED, RATE_LIMIT_EXCEEDED, INTERNAL_ERROR at a stop
   */
  async join({ req, upgrade, widget, ip }: AskedChat, onTaken: () => void): Promise<void> {
    const { limiter, chats } = this.options;
    if (!chats.isOffered(widget)) throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'webchat' });
    await takeOrRefuse(limiter, `chat:connect:${ip}`, CONNECTS.limit, CONNECTS.seconds);
    const isTooMany = (this.#addresses.get(ip) ?? 0) >= MOST_OF_ADDRESS;
    if (isTooMany) throw new HatifError('RATE_LIMIT_EXCEEDED', TOO_MANY);
    if (this.#isClosing || upgrade.socket.destroyed) throw internalError(new Error('the process stops'));
    onTaken();
    this.#server.handleUpgrade(req, upgrade.socket, upgrade.head, (socket) => this.#add(socket, widget, ip));
  }

  /** Closes all: pages come back to another process. One that does not answer is cut off. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopHearing();
    const all = [...this.#sockets];
    for (const socket of all) socket.close(CLOSE.restart, 'the server stops');
    setTimeout(() => all.forEach((socket) => socket.terminate()), CUT_MS).unref();
    await Promise.all([this.#look.stop(), this.#presence.stop()]);
  }

  #add(socket: WebSocket, widget: WidgetContext, ip: string): void {
    const { chats, nameOf, log } = this.options;
    this.#sockets.add(socket);
    this.#addresses.set(ip, (this.#addresses.get(ip) ?? 0) + 1);
    keepAlive(socket, PING_EVERY_MS);
    const connection = new ChatConnection(socket, {
      ...{ widget, chats, nameOf, log },
      onOpen: (chatId) => {
        this.#remember(chatId, socket, connection);
        this.#reportPresence(chatId);
      },
      onPresence: (chatId) => this.#reportPresence(chatId),
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#addresses.get(ip) ?? 1) - 1;
      if (left <= 0) this.#addresses.delete(ip);
      else this.#addresses.set(ip, left);
      if (connection.chat) this.#forget(connection.chat.id, socket);
    });
    if (this.#isClosing) socket.close(CLOSE.restart, 'the server stops');
  }

  #remember(chatId: string, socket: WebSocket, connection: ChatConnection): void {
    const others = (this.#open.get(chatId) ?? []).filter((one) => one.socket !== socket);
    if (others.length >= MOST_OF_CHAT) others[0]?.socket.close(CLOSE.policy, 'replaced by a newer connection');
    this.#open.set(chatId, [...others, { socket, connection }]);
  }

  #forget(chatId: string, socket: WebSocket): void {
    const others = (this.#open.get(chatId) ?? []).filter((one) => one.socket !== socket);
    if (others.length > 0) this.#open.set(chatId, others);
    else this.#open.delete(chatId);
    this.#reportPresence(chatId);
  }

  #reportPresence(chatId: string): void {
    const states = (this.#open.get(chatId) ?? []).map(({ connection }) => connection.state);
    this.#presence.set(chatId, states.length === 0 ? 'gone' : states.includes('online') ? 'online' : 'away');
  }

  /** Finds messages whose signal was lost. */
  async #lookForAll(): Promise<void> {
    const all = [...this.#open.values()].flat();
    const byThread = all.flatMap(({ connection }) => {
      const threadId = connection.chat?.thread_id ?? null;
      return threadId === null ? [] : [{ threadId, connection }];
    });
    if (byThread.length === 0) return;
    const waiting = new Set(await this.options.undelivered(byThread.map(({ threadId }) => threadId)));
    for (const { threadId, connection } of byThread) if (waiting.has(threadId)) connection.look();
  }
}

export interface AskedChat {
  readonly req: IncomingMessage;
  readonly upgrade: Upgrade;
  readonly widget: WidgetContext;
  readonly ip: string;
}
