import { afterReading, type Clock, type Timer } from '../../core/ports/clock.js';
import { EngineError, type EngineStatus } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';

export interface LinkTiming {
  /** How often to ping the engine. A reply must arrive within the same time. */
  readonly pingIntervalMs: number;
  readonly maxBackoffMs: number;
}

export interface EngineInstance {
  readonly bootId: string;
  readonly version: string;
}

export interface LinkHandlers<Instance extends EngineInstance, Event> {
  /**
   * Called when connected and subscribed. Events are buffered until the promise settles and the function that it
   * resolved to has run, which happens after the status became `up`. A rejection drops the connection.
   */
  onUp(instance: Instance): Promise<() => void>;
  onEvent(event: Event): void;
  /** Called once per outage, and again when the reason changes. */
  onDown(reason: string): void;
}

/** Callbacks of an open connection. */
export interface LinkListener<Event> {
  onEvent(event: Event): void;
  /** Called once when an open connection closes, whichever side closed it. */
  onClosed(reason: string): void;
}

/** An open connection. */
export interface LinkSocket {
  /** Closes at once; `onClosed` follows with this reason. */
  close(reason: string): void;
}

const INITIAL_BACKOFF_MS = 200;

/**
 * Keeps one connection to an engine open: connects, subscribes, pings, and reconnects with exponential backoff up to
 * `maxBackoffMs`. Half of each delay is random jitter: otherwise many processes would reconnect at the same moment.
 */
export abstract class SupervisedLink<Socket extends LinkSocket, Instance extends EngineInstance, Event> {
  #socket: Socket | undefined;
  #timer: Timer | undefined;
  #attempt = 0;
  #started = false;
  #lastReason: string | undefined;
  #status: EngineStatus = { status: 'unreachable', bootId: null, version: null };
  /** Events that arrived before the connection was up. */
  #buffered: Event[] | undefined;

  protected constructor(
    private readonly engineName: string,
    private readonly timing: LinkTiming,
    private readonly handlers: LinkHandlers<Instance, Event>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  get status(): EngineStatus {
    return this.#status;
  }

  /** Connects and authenticates. */
  protected abstract open(listener: LinkListener<Event>): Promise<Socket>;

  /** Subscribes to events and identifies the engine. */
  protected abstract subscribe(socket: Socket): Promise<Instance>;

  /** Resolves when the engine replies. Only missing replies reveal a half-open connection. */
  protected abstract ping(socket: Socket): Promise<unknown>;

  /** @throws EngineError `unreachable` while the connection is down, because events would be missed */
  require(): void {
    if (this.#status.status !== 'up') throw this.#unreachable();
  }

  start(): void {
    this.#started = true;
    void this.#connect();
  }

  stop(): void {
    this.#started = false;
    this.#timer?.cancel();
    this.#socket?.close('stopped');
    this.#socket = undefined;
    this.#status = { ...this.#status, status: 'unreachable' };
    this.#lastReason = 'stopped';
  }

  /** The open connection; its status may not be `up` yet. @throws EngineError `unreachable` */
  protected get socket(): Socket {
    if (!this.#socket) throw this.#unreachable();
    return this.#socket;
  }

  /** Drops the connection if it is up, and reconnects after the maximum backoff. */
  protected backOff(socket: Socket | undefined, reason: string): void {
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
      this.#buffered = [];
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
      const instance = await this.subscribe(socket);
      const reportChanges = await this.handlers.onUp(instance);
      // `onClosed` ignores a connection that closes before it is up.
      if (closed !== undefined) throw new Error(closed);
      this.#up(socket, instance, reportChanges);
    } catch (error) {
      socket?.close('given up');
      this.#down(this.reasonOf(error));
    }
  }

  #up(socket: Socket, { bootId, version }: Instance, reportChanges: () => void): void {
    if (!this.#started) return;
    this.#attempt = 0;
    this.#lastReason = undefined;
    this.#status = { status: 'up', bootId, version };
    this.log.info({ version, bootId }, `${this.engineName} connected`);
    this.#watch(socket);
    reportChanges();
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    for (const event of buffered) this.handlers.onEvent(event);
  }

  /** A method, because `stop()` may run during an `await`, which TypeScript's narrowing does not see. */
  #isRunning(): boolean {
    return this.#started;
  }

  #down(reason: string): void {
    this.#socket = undefined;
    this.#buffered = undefined;
    if (!this.#started) return;
    this.#timer?.cancel();
    this.#status = { ...this.#status, status: 'unreachable' };
    if (reason !== this.#lastReason) {
      this.#lastReason = reason;
      this.log.warn({ reason }, `${this.engineName} unreachable`);
      this.handlers.onDown(reason);
    }
    const maxDelayMs = Math.min(this.timing.maxBackoffMs, INITIAL_BACKOFF_MS * 2 ** this.#attempt++);
    this.#timer = this.clock.after(maxDelayMs * (0.5 + Math.random() / 2), () => void this.#connect());
  }

  #receive(event: Event): void {
    if (this.#buffered) this.#buffered.push(event);
    else this.handlers.onEvent(event);
  }

  #watch(socket: Socket): void {
    const { pingIntervalMs } = this.timing;
    this.#timer = this.clock.after(pingIntervalMs, () => {
      if (this.#socket !== socket) return;
      this.#timer = afterReading(this.clock, pingIntervalMs, () =>
        socket.close(`no reply to a ping within ${pingIntervalMs} ms`),
      );
      this.ping(socket).then(
        () => {
          if (this.#socket !== socket) return;
          this.#timer?.cancel();
          this.#watch(socket);
        },
        // No reply: the timer closes the connection.
        () => undefined,
      );
    });
  }
}
