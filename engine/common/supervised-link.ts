import type { Clock, Timer } from '../../core/ports/clock.js';
import { EngineError, type EngineStatus } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';

export interface LinkPace {
  /** How often the engine is asked for a sign of life; it has as long to answer. */
  readonly pingIntervalMs: number;
  readonly maxBackoffMs: number;
}

export interface LinkBoot {
  readonly bootId: string;
  readonly version: string;
}

export interface LinkHandlers<Boot extends LinkBoot, Event> {
  /**
   * Connected and subscribed; events wait until it settled, and then until what it resolved to has run, when the status is `up`. A
   * rejection drops the connection.
   */
  onUp(boot: Boot): Promise<() => void>;
  onEvent(event: Event): void;
  /** Once per outage, and again when the reason changes. */
  onDown(reason: string): void;
}

/** Told by an open connection. */
export interface LinkListener<Event> {
  onEvent(event: Event): void;
  /** Once, whoever closed it, after it was open. */
  onClosed(reason: string): void;
}

/** An open connection. */
export interface LinkSocket {
  /** Close at once; `onClosed` follows, with this reason. */
  close(reason: string): void;
}

const FIRST_BACKOFF_MS = 200;

/**
 * Keeps one connection to an engine open for ever: connects, subscribes, watches, and connects again after a
 * pause that doubles up to `maxBackoffMs` and is jittered by half, so that many processes do not come back at once.
 */
export abstract class SupervisedLink<Socket extends LinkSocket, Boot extends LinkBoot, Event> {
  #socket: Socket | undefined;
  #timer: Timer | undefined;
  #attempt = 0;
  #running = false;
  #lastReason: string | undefined;
  #status: EngineStatus = { status: 'unreachable', bootId: null, version: null };
  /** Events that came before the connection was ready for them. */
  #waiting: Event[] | undefined;

  protected constructor(
    private readonly engineName: string,
    private readonly pace: LinkPace,
    private readonly handlers: LinkHandlers<Boot, Event>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  get status(): EngineStatus {
    return this.#status;
  }

  /** Connects and proves the password. */
  protected abstract open(listener: LinkListener<Event>): Promise<Socket>;

  /** Subscribes to the events, and learns which engine it is. */
  protected abstract subscribe(socket: Socket): Promise<Boot>;

  /** Resolves at a sign of life: a half-open connection shows only by silence. */
  protected abstract ping(socket: Socket): Promise<unknown>;

  /** @throws EngineError `unreachable` while the connection is down: its events would be missed. */
  require(): void {
    if (this.#status.status !== 'up') throw this.#unreachable();
  }

  start(): void {
    this.#running = true;
    void this.#connect();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.cancel();
    this.#socket?.close('stopped');
    this.#socket = undefined;
    this.#status = { ...this.#status, status: 'unreachable' };
    this.#lastReason = 'stopped';
  }

  /** The open connection, which may still be on its way up. @throws EngineError `unreachable` */
  protected get socket(): Socket {
    if (!this.#socket) throw this.#unreachable();
    return this.#socket;
  }

  /** Lets the connection go when it is up, and comes back as late as it ever does. */
  protected stepBack(socket: Socket | undefined, reason: string): void {
    if (!socket || this.#socket !== socket || this.#status.status !== 'up') return;
    this.#attempt = Infinity;
    socket.close(reason);
  }

  protected reasonOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
  }

  #unreachable(): EngineError {
    const reason = this.#lastReason ?? 'not yet tried';
    return new EngineError('unreachable', `${this.engineName} is not connected: ${reason}`);
  }

  async #connect(): Promise<void> {
    let socket: Socket | undefined;
    try {
      this.#waiting = [];
      let closed: string | undefined;
      socket = await this.open({
        onEvent: (event) => this.#receive(event),
        onClosed: (reason) => {
          closed = reason;
          if (this.#socket === socket && this.#status.status === 'up') this.#down(reason);
        },
      });
      if (!this.#isRunning()) {
        socket.close('stopped');
        return;
      }
      this.#socket = socket;
      const boot = await this.subscribe(socket);
      const announce = await this.handlers.onUp(boot);
      // It may have closed meanwhile, when that was nothing to tell yet.
      if (closed !== undefined) throw new Error(closed);
      this.#up(socket, boot, announce);
    } catch (error) {
      socket?.close('given up');
      this.#down(this.reasonOf(error));
    }
  }

  #up(socket: Socket, { bootId, version }: Boot, announce: () => void): void {
    if (!this.#running) return;
    this.#attempt = 0;
    this.#lastReason = undefined;
    this.#status = { status: 'up', bootId, version };
    this.log.info({ version, bootId }, `${this.engineName} connected`);
    this.#watch(socket);
    announce();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const event of waiting) this.handlers.onEvent(event);
  }

  /** It may be stopped while something is waited for. */
  #isRunning(): boolean {
    return this.#running;
  }

  #down(reason: string): void {
    this.#socket = undefined;
    this.#waiting = undefined;
    if (!this.#running) return;
    this.#timer?.cancel();
    this.#status = { ...this.#status, status: 'unreachable' };
    if (reason !== this.#lastReason) {
      this.#lastReason = reason;
      this.log.warn({ reason }, `${this.engineName} unreachable`);
      this.handlers.onDown(reason);
    }
    const ceiling = Math.min(this.pace.maxBackoffMs, FIRST_BACKOFF_MS * 2 ** this.#attempt++);
    this.#timer = this.clock.after(ceiling * (0.5 + Math.random() / 2), () => void this.#connect());
  }

  #receive(event: Event): void {
    if (this.#waiting) this.#waiting.push(event);
    else this.handlers.onEvent(event);
  }

  #watch(socket: Socket): void {
    const { pingIntervalMs } = this.pace;
    this.#timer = this.clock.after(pingIntervalMs, () => {
      if (this.#socket !== socket) return;
      this.#timer = this.clock.after(pingIntervalMs, () => socket.close(`no sign of life for ${pingIntervalMs} ms`));
      this.ping(socket).then(
        () => {
          if (this.#socket !== socket) return;
          this.#timer?.cancel();
          this.#watch(socket);
        },
        // Nothing came: it is closed when its time is over.
        () => undefined,
      );
    });
  }
}
