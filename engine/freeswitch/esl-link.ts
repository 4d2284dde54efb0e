import type { Clock, Timer } from '../../core/ports/clock.js';
import { EngineError, type EngineStatus } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import { openEsl, type EslEvent, type EslOptions, type EslSocket } from './esl-connection.js';

export interface LinkOptions extends EslOptions {
  /** How often FreeSWITCH is asked for a sign of life; it has as long to answer. */
  readonly pingIntervalMs: number;
  readonly maxBackoffMs: number;
}

export interface LinkHandlers {
  /**
   * Connected and subscribed; events wait until it settled, and then until what it resolved to has run, when the status is `up`. A
   * rejection drops the connection.
   */
  onUp(boot: Boot): Promise<() => void>;
  onEvent(event: EslEvent): void;
  /** Once per outage, and again when the reason changes. */
  onDown(reason: string): void;
}

export interface Boot {
  readonly bootId: string;
  readonly version: string;
}

const FIRST_BACKOFF_MS = 200;

/** FreeSWITCH drops a listener that falls 500 events behind: only what is used. */
const EVENTS = [
  ...[
    'CHANNEL_CREATE',
    'CHANNEL_PARK',
    'CHANNEL_PROGRESS',
    'CHANNEL_PROGRESS_MEDIA',
    'CHANNEL_ANSWER',
    'CHANNEL_BRIDGE',
  ],
  ...['CHANNEL_EXECUTE', 'CHANNEL_EXECUTE_COMPLETE', 'CHANNEL_HOLD', 'CHANNEL_UNHOLD', 'CHANNEL_HANGUP'],
  ...['CHANNEL_HANGUP_COMPLETE', 'DTMF', 'RECORD_STOP', 'BACKGROUND_JOB'],
];
/** Everything after the word CUSTOM is taken for one of these. */
const CUSTOM_EVENTS = [
  ...['sofia::register', 'sofia::unregister', 'sofia::expire', 'sofia::error'],
  'conference::maintenance',
];

/**
 * Keeps one event socket to FreeSWITCH open for ever: connects, subscribes, watches, and connects again after a
 * pause that doubles up to `maxBackoffMs` and is jittered by half, so that many processes do not come back at once.
 */
export class EslLink {
  #socket: EslSocket | undefined;
  #timer: Timer | undefined;
  #attempt = 0;
  #running = false;
  #lastReason: string | undefined;
  #status: EngineStatus = { status: 'unreachable', bootId: null, version: null };
  /** Events that came before the connection was ready for them. */
  #waiting: EslEvent[] | undefined;

  constructor(
    private readonly options: LinkOptions,
    private readonly handlers: LinkHandlers,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  get status(): EngineStatus {
    return this.#status;
  }

  /** @throws EngineError `unreachable` while the connection is down: its events would be missed. */
  require(): void {
    if (this.#status.status !== 'up') throw this.#unreachable();
  }

  /** An API command. @throws EngineError */
  async api(command: string): Promise<string> {
    if (!this.#socket) throw this.#unreachable();
    return this.#socket.api(command);
  }

  /** A command in the background; its outcome comes as BACKGROUND_JOB with this id. @throws EngineError */
  async background(jobId: string, command: string): Promise<void> {
    if (!this.#socket) throw this.#unreachable();
    await this.#socket.command(`bgapi ${command}`, { 'Job-UUID': jobId });
  }

  /** Lets a channel carry out an application, after what was sent to it before. @throws EngineError */
  async execute(channelId: string, eventId: string, application: string, argument: string): Promise<void> {
    if (!this.#socket) throw this.#unreachable();
    await this.#socket.command(`sendmsg ${channelId}`, {
      'call-command': 'execute',
      'execute-app-name': application,
      'execute-app-arg': argument,
      'event-lock': 'true',
      'Event-UUID': eventId,
    });
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

  #unreachable(): EngineError {
    return new EngineError('unreachable', `FreeSWITCH is not connected: ${this.#lastReason ?? 'not yet tried'}`);
  }

  async #connect(): Promise<void> {
    let socket: EslSocket | undefined;
    try {
      this.#waiting = [];
      let closed: string | undefined;
      socket = await openEsl(this.options, {
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
      await socket.command(`event json ${EVENTS.join(' ')} CUSTOM ${CUSTOM_EVENTS.join(' ')}`);
      const boot = {
        bootId: await socket.api('global_getvar core_uuid'),
        version: versionOf(await socket.api('version')),
      };
      const announce = await this.handlers.onUp(boot);
      if (closed !== undefined) throw new Error(closed);
      this.#up(socket, boot, announce);
    } catch (error) {
      socket?.close('given up');
      this.#down(error instanceof Error ? error.message : String(error));
    }
  }

  #up(socket: EslSocket, boot: Boot, announce: () => void): void {
    if (!this.#running) return;
    this.#attempt = 0;
    this.#lastReason = undefined;
    this.#status = { status: 'up', bootId: boot.bootId, version: boot.version };
    this.log.info({ version: boot.version, bootId: boot.bootId }, 'FreeSWITCH connected');
    this.#watch(socket);
    announce();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const event of waiting) this.handlers.onEvent(event);
  }

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
      this.log.warn({ reason }, 'FreeSWITCH unreachable');
      this.handlers.onDown(reason);
    }
    const ceiling = Math.min(this.options.maxBackoffMs, FIRST_BACKOFF_MS * 2 ** this.#attempt++);
    this.#timer = this.clock.after(ceiling * (0.5 + Math.random() / 2), () => void this.#connect());
  }

  #receive(event: EslEvent): void {
    if (this.#waiting) this.#waiting.push(event);
    else this.handlers.onEvent(event);
  }

  /** A half-open connection shows only by silence. */
  #watch(socket: EslSocket): void {
    this.#timer = this.clock.after(this.options.pingIntervalMs, () => {
      if (this.#socket !== socket) return;
      let answered = false;
      this.#timer = this.clock.after(this.options.pingIntervalMs, () => {
        if (!answered && this.#socket === socket) socket.close(`no sign of life for ${this.options.pingIntervalMs} ms`);
      });
      socket.api('global_getvar core_uuid').then(
        () => {
          answered = true;
          if (this.#socket !== socket) return;
          this.#timer?.cancel();
          this.#watch(socket);
        },
        () => undefined,
      );
    });
  }
}

/** `FreeSWITCH Version 1.10.12-release~64bit ( 64bit)` */
function versionOf(text: string): string {
  return /Version ([^\s~]+)/.exec(text)?.[1] ?? text.trim();
}
