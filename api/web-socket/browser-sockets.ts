import type { IncomingMessage } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { HatifError, invalidField } from '../../core/model/errors/index.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';
import type { WayIn, WebSocketWay } from '../../core/services/web-calling/way-in.js';
import { CLOSE, keepAlive, MAX_MESSAGE_BYTES, relay } from './relay.js';
import type { Upgrade } from './upgrades.js';

export interface BrowserSocketsOptions {
  readonly way: Pick<WebSocketWay, 'of' | 'over'>;
  /** The page of a session was left in the middle of calls; the password of its SIP account proves it. */
  readonly onPageLeft: (sessionId: string, password: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** SIP over WebSocket (RFC 7118). */
const PROTOCOL = 'sip';
/** Of one session: a page that was reloaded, and one that lost its network. */
const MOST_OF_SESSION = 3;
const PING_EVERY_MS = 25_000;
const LOOK_EVERY_MS = 2_000;
const HANDSHAKE_MS = 3_000;
/** How long a browser may take to answer the close of a process that stops. */
const CUT_MS = 1_000;

/** The WebSockets of browsers, each joined with one of an engine. */
export class BrowserSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => PROTOCOL,
  });
  /** By session, the oldest first. */
  readonly #open = new Map<string, WebSocket[]>();
  readonly #look: PeriodicWork;
  #isClosing = false;

  constructor(private readonly options: BrowserSocketsOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'looking for ended sessions of web calling failed');
    this.#look = new PeriodicWork({ work: () => this.#closeEnded(), everyMs: LOOK_EVERY_MS, clock, onFailure });
    this.#look.start();
  }

  /**
   * Takes the connection over, once an engine is reached.
   * @param onTaken called when no error can be answered any more
   * @throws HatifError that of {@link WebSocketWay.of}; VALIDATION_ERROR, WEBRTC_PROVISIONING_FAILED
   */
  async join({ req, upgrade, sessionId, origin }: AskedUpgrade, onTaken: () => void): Promise<void> {
    assertSip(req);
    const engine = await this.#engine(await this.options.way.of(sessionId, origin));
    if (this.#isClosing || upgrade.socket.destroyed) {
      engine.terminate();
      throw new HatifError('WEBRTC_PROVISIONING_FAILED');
    }
    onTaken();
    // What the engine sends before the browser is there waits.
    engine.pause();
    this.#server.handleUpgrade(req, upgrade.socket, upgrade.head, (browser) => {
      relay(browser, engine, () => this.#forget(sessionId, browser));
      browser.once('close', (code, reason) => {
        if (code === CLOSE.pageLeft) this.options.onPageLeft(sessionId, reason.toString());
      });
      for (const side of [browser, engine]) keepAlive(side, PING_EVERY_MS);
      engine.resume();
      this.#remember(sessionId, browser);
    });
    upgrade.socket.once('close', () => {
      if (engine.readyState === WebSocket.OPEN) engine.close(CLOSE.normal);
    });
  }

  /** @throws HatifError why a browser would be refused, as {@link WebSocketWay.of} does */
  async admit(sessionId: string, origin: string | null): Promise<void> {
    await this.options.way.of(sessionId, origin);
  }

  /** The connections of browsers that are open now. */
  get count(): number {
    return [...this.#open.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Closes all: their browsers come back to another process. One that does not answer is cut off. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const all = [...this.#open.values()].flat();
    for (const browser of all) browser.close(CLOSE.restart, 'the server stops');
    setTimeout(() => all.forEach((browser) => browser.terminate()), CUT_MS).unref();
    await this.#look.stop();
  }

  /**
   * The first engine that has the browser's account and answers; without one, the first that answers, because an engine
   * whose process is away may have the account.
   */
  async #engine(ways: readonly WayIn[]): Promise<WebSocket> {
    const unsure: string[] = [];
    for (const { url, prepare } of ways) {
      if (!(await prepare())) {
        unsure.push(url);
        continue;
      }
      const engine = await this.#reached(url);
      if (engine) return engine;
    }
    for (const url of unsure) {
      const engine = await this.#reached(url);
      if (engine) return engine;
    }
    throw new HatifError('WEBRTC_PROVISIONING_FAILED');
  }

  async #reached(url: string): Promise<WebSocket | null> {
    try {
      return await connected(url);
    } catch (error) {
      this.options.log.warn({ err: error, url }, 'an engine accepts no WebSocket');
      return null;
    }
  }

  #remember(sessionId: string, browser: WebSocket): void {
    const others = this.#open.get(sessionId) ?? [];
    if (others.length >= MOST_OF_SESSION) others[0]?.close(CLOSE.policy, 'replaced by a newer connection');
    this.#open.set(sessionId, [...others, browser]);
    if (this.#isClosing) browser.close(CLOSE.restart, 'the server stops');
  }

  #forget(sessionId: string, browser: WebSocket): void {
    const others = (this.#open.get(sessionId) ?? []).filter((one) => one !== browser);
    if (others.length === 0) this.#open.delete(sessionId);
    else this.#open.set(sessionId, others);
  }

  async #closeEnded(): Promise<void> {
    const ids = [...this.#open.keys()];
    if (ids.length === 0) return;
    for (const id of await this.options.way.over(ids)) {
      for (const browser of this.#open.get(id) ?? []) browser.close(CLOSE.policy, 'the session is over');
    }
  }
}

export interface AskedUpgrade {
  readonly req: IncomingMessage;
  readonly upgrade: Upgrade;
  readonly sessionId: string;
  /** The page of another site that asks; null if none does. */
  readonly origin: string | null;
}

/** @throws HatifError VALIDATION_ERROR */
function assertSip({ headers }: IncomingMessage): void {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (headers.upgrade?.toLowerCase() === 'websocket' && offered.includes(PROTOCOL)) return;
  throw invalidField('Sec-WebSocket-Protocol', {
    en: 'must be `sip`: this is SIP over WebSocket (RFC 7118)',
    ar: 'يجب أن تكون `sip`، فهذا اتصال SIP عبر WebSocket (RFC 7118)',
  });
}

function connected(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, PROTOCOL, {
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
    });
    socket.once('error', reject);
    socket.once('open', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
