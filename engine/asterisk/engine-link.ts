import type { Clock, Timer } from '../../core/ports/clock.js';
import { EngineError, type EngineStatus } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import { AriConnection, type AriSocket } from './ari-connection.js';
import { AriRefusal, type AriHttp } from './ari-http.js';
import {
  CALL_APP,
  CALL_EVENTS,
  REGISTRATION_APP,
  REGISTRATION_EVENTS,
  type AriEvent,
  type AriInfo,
} from './ari-types.js';

export interface LinkOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly timeoutMs: number;
  /** How often Asterisk is asked for a sign of life; it has as long to answer. */
  readonly pingIntervalMs: number;
  readonly maxBackoffMs: number;
}

export interface LinkHandlers {
  /**
   * Connected and subscribed; events wait until it settled, and then until what it resolved to has run, when the status is `up`. A
   * rejection drops the connection.
   */
  onUp(boot: Boot): Promise<() => void>;
  onEvent(event: AriEvent): void;
  /** Once per outage, and again when the reason changes. */
  onDown(reason: string): void;
}

export interface Boot {
  readonly bootId: string;
  readonly entityId: string;
  readonly version: string;
}

const FIRST_BACKOFF_MS = 200;

/**
 * Keeps one event websocket to Asterisk open for ever: connects, subscribes, watches, and connects again after a
 * pause that doubles up to `maxBackoffMs` and is jittered by half, so that many processes do not come back at once.
 */
export class EngineLink {
  readonly #connection: AriConnection;
  #socket: AriSocket | undefined;
  #timer: Timer | undefined;
  #attempt = 0;
  #running = false;
  #lastReason: string | undefined;
  #status: EngineStatus = { status: 'unreachable', bootId: null, version: null };
  /** Events that came before the connection was ready for them. */
  #waiting: AriEvent[] | undefined;

  constructor(
    private readonly options: LinkOptions,
    private readonly http: AriHttp,
    private readonly handlers: LinkHandlers,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.#connection = new AriConnection(options);
  }

  get status(): EngineStatus {
    return this.#status;
  }

  /** @throws EngineError `unreachable` while the connection is down: its events would be missed. */
  require(): void {
    if (this.#status.status !== 'up') {
      throw new EngineError('unreachable', `Asterisk is not connected: ${this.#lastReason ?? 'not yet tried'}`);
    }
  }

  start(): void {
    this.#running = true;
    void this.#connect();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.cancel();
    this.#socket?.close('stopped');
    this.#status = { ...this.#status, status: 'unreachable' };
    this.#lastReason = 'stopped';
  }

  async #connect(): Promise<void> {
    let socket: AriSocket | undefined;
    try {
      const boot = bootOf(await this.http.send<AriInfo>('GET', '/asterisk/info'));
      this.#waiting = [];
      let closed: string | undefined;
      socket = await this.#connection.open([CALL_APP, REGISTRATION_APP], {
        onEvent: (event) => this.#receive(event, socket),
        onClosed: (reason) => {
          closed = reason;
          if (this.#socket === socket) this.#down(reason);
        },
      });
      await this.#subscribe();
      const announce = await this.handlers.onUp(boot);
      // It may have closed while we subscribed, when nobody was listening yet.
      if (closed !== undefined) throw new Error(closed);
      this.#up(socket, boot, announce);
    } catch (error) {
      socket?.close('given up');
      this.#down(reasonOf(error));
    }
  }

  #up(socket: AriSocket, boot: Boot, announce: () => void): void {
    if (!this.#running) {
      socket.close('stopped');
      return;
    }
    this.#socket = socket;
    this.#attempt = 0;
    this.#lastReason = undefined;
    this.#status = { status: 'up', bootId: boot.bootId, version: boot.version };
    this.log.info({ version: boot.version, bootId: boot.bootId }, 'Asterisk connected');
    this.#watch(socket);
    announce();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const event of waiting) this.handlers.onEvent(event);
  }

  #down(reason: string): void {
    this.#socket = undefined;
    this.#waiting = undefined;
    if (!this.#running) return;
    this.#timer?.cancel();
    this.#status = { ...this.#status, status: 'unreachable' };
    if (reason !== this.#lastReason) {
      this.#lastReason = reason;
      this.log.warn({ reason }, 'Asterisk unreachable');
      this.handlers.onDown(reason);
    }
    const ceiling = Math.min(this.options.maxBackoffMs, FIRST_BACKOFF_MS * 2 ** this.#attempt++);
    this.#timer = this.clock.after(ceiling * (0.5 + Math.random() / 2), () => void this.#connect());
  }

  #receive(event: AriEvent, socket: AriSocket | undefined): void {
    if (event.type === 'ApplicationReplaced') {
      // Another connection took the application over. Taking it back at once would start a tug of war.
      if (this.#socket !== undefined && this.#socket === socket) {
        this.#attempt = Infinity;
        socket.close('another process took the application over');
      }
      return;
    }
    if (this.#waiting) this.#waiting.push(event);
    else this.handlers.onEvent(event);
  }

  /** A half-open connection shows only by silence. */
  #watch(socket: AriSocket): void {
    this.#timer = this.clock.after(this.options.pingIntervalMs, () => {
      if (this.#socket !== socket) return;
      socket.ping(this.options.pingIntervalMs).then(
        () => {
          if (this.#socket === socket) this.#watch(socket);
        },
        (error: unknown) => socket.close(reasonOf(error)),
      );
    });
  }

  async #subscribe(): Promise<void> {
    await this.#filter(CALL_APP, CALL_EVENTS);
    await this.#filter(REGISTRATION_APP, REGISTRATION_EVENTS);
    await this.http.send('POST', `/applications/${REGISTRATION_APP}/subscription`, {
      query: { eventSource: 'endpoint:PJSIP' },
    });
  }

  async #filter(app: string, types: readonly string[]): Promise<void> {
    await this.http.send('PUT', `/applications/${app}/eventFilter`, {
      body: { allowed: types.map((type) => ({ type })) },
    });
  }
}

/** An engine that started again has another start time; the machine's id keeps two engines apart. */
function bootOf(info: AriInfo): Boot {
  return {
    bootId: `${info.system.entity_id}/${info.status.startup_time}`,
    entityId: info.system.entity_id,
    version: info.system.version,
  };
}

/** The part of a boot id that stays when the engine starts again. */
export function entityIdOf(bootId: string): string {
  return bootId.slice(0, bootId.lastIndexOf('/'));
}

function reasonOf(error: unknown): string {
  if (error instanceof AriRefusal && error.status === 401) return 'Asterisk refused the user name or password';
  return error instanceof Error ? error.message : String(error);
}
