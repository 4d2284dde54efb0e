import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { pause, type Clock } from '../../../../core/ports/clock.js';
import type { Logger } from '../../../../core/ports/logger.js';
import { isThrottled, OK } from './codes.js';
import { SmppSession, type PduFields, type SmppAnswer, type SmppPdu } from './session.js';

/** One account at an SMSC. */
export interface SmppBindOptions {
  /** Names the account in the database and the log: without the password. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** Submissions that may be without a response. */
  readonly window: number;
}

export interface SmppBindParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** A request of the SMSC. @returns the command status of the response */
  readonly onRequest: (pdu: SmppPdu) => Promise<number>;
  /** The bind is ready, or has room again. */
  readonly onFree: () => void;
}

const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
const ENQUIRE_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** How long nothing is submitted after the SMSC asked to slow down. */
const THROTTLE_MS = 1_000;

/** Keeps one transceiver bound to an SMSC: connects, watches the connection, and connects again after a fault. */
export class SmppBind {
  #session: SmppSession | null = null;
  #isBound = false;
  #isStopped = false;
  #submitting = 0;
  #throttledUntilMs = 0;
  #endPause: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(
    readonly options: SmppBindOptions,
    private readonly parts: SmppBindParts,
  ) {}

  start(): void {
    this.#running ??= this.#keepBound();
  }

  /** Ends the bind. Submissions without a response are unanswered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const session = this.#session;
    if (session && this.#isBound) await session.request('unbind', {}, 1_000);
    session?.close();
    this.#endPause?.();
    await this.#running;
  }

  /** How many submissions can be sent now. */
  get free(): number {
    if (!this.#isBound || this.parts.clock.monotonicMs() < this.#throttledUntilMs) return 0;
    return Math.max(0, this.options.window - this.#submitting);
  }

  /** How many submissions can be under way at once; 0 while the bind is down. */
  get window(): number {
    return this.#isBound ? this.options.window : 0;
  }

  /** Sends a submission. The caller looks at {@link free} before. */
  async submit(fields: PduFields): Promise<SmppAnswer> {
    const session = this.#session;
    if (!session || !this.#isBound) return { kind: 'not_sent' };
    this.#submitting++;
    try {
      const answer = await session.request('submit_sm', fields, RESPONSE_MS);
      if (answer.kind === 'response' && isThrottled(answer.pdu.command_status)) this.#throttle();
      return answer;
    } finally {
      this.#submitting--;
      this.parts.onFree();
    }
  }

  #throttle(): void {
    const { clock, log, onFree } = this.parts;
    const until = clock.monotonicMs() + THROTTLE_MS;
    if (this.#throttledUntilMs < clock.monotonicMs())
      log.warn({ bind: this.options.name }, 'the SMSC asks to slow down');
    this.#throttledUntilMs = until;
    clock.after(THROTTLE_MS, onFree);
  }

  async #keepBound(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      const wasBound = await this.#connectOnce();
      failures = wasBound ? 0 : failures + 1;
      const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1));
      await this.#pause(waitMs);
    }
  }

  /** Ends at once when the bind is stopped. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await pause(this.parts.clock, ms, (end) => (this.#endPause = end));
  }

  /** @returns whether the connection was bound; resolves when it is over */
  async #connectOnce(): Promise<boolean> {
    const { name, systemId, password, systemType } = this.options;
    const { log, onFree } = this.parts;
    let over: (() => void) | null = null;
    const ended = new Promise<void>((resolve) => (over = resolve));
    let socket: Socket;
    try {
      socket = await this.#open();
    } catch (err) {
      log.warn({ err, bind: name }, 'the SMSC cannot be reached; it is tried again');
      return false;
    }
    const session = new SmppSession(socket, {
      request: (pdu) => void this.#take(session, pdu),
      closed: (err) => {
        if (!this.#isStopped) log.warn({ err, bind: name }, 'the connection to the SMSC ended');
        over?.();
      },
    });
    this.#session = session;
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 };
    const answer = await session.request('bind_transceiver', fields, CONNECT_MS);
    const isBound = answer.kind === 'response' && answer.pdu.command_status === OK && !this.#isStopped;
    if (isBound) {
      this.#isBound = true;
      log.info({ bind: name }, 'bound to the SMSC');
      onFree();
      await Promise.race([ended, this.#watch(session)]);
    } else if (answer.kind === 'response') {
      log.warn({ bind: name, status: answer.pdu.command_status }, 'the SMSC refused the bind');
    }
    this.#isBound = false;
    this.#session = null;
    session.close();
    await ended;
    return isBound;
  }

  /** Resolves when the SMSC no longer answers, or the bind is stopped. */
  async #watch(session: SmppSession): Promise<void> {
    while (this.#session === session) {
      await this.#pause(ENQUIRE_MS);
      if (this.#isStopped) return;
      const { kind } = await session.request('enquire_link', {}, RESPONSE_MS);
      if (kind !== 'response') return;
    }
  }

  async #take(session: SmppSession, pdu: SmppPdu): Promise<void> {
    if (pdu.command === 'deliver_sm' || pdu.command === 'data_sm') {
      session.respond(pdu, await this.parts.onRequest(pdu), { message_id: '' });
    } else if (pdu.command === 'unbind') {
      session.respond(pdu, OK);
      session.close();
    } else if (pdu.command === 'enquire_link') {
      session.respond(pdu, OK);
    } else if (pdu.command === 'unknown') {
      session.respond(pdu, 0x03);
    }
  }

  #open(): Promise<Socket> {
    const { host, port, tls } = this.options;
    return new Promise((resolve, reject) => {
      const socket = tls ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
      socket.setNoDelay(true);
      socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`no connection within ${CONNECT_MS} ms`)));
      socket.once('error', reject);
      socket.once(tls ? 'secureConnect' : 'connect', () => {
        socket.setTimeout(0);
        socket.removeListener('error', reject);
        resolve(socket);
      });
      if (this.#isStopped) socket.destroy();
    });
  }
}
