import { Emitter } from '../base/emitter.js';
import type { Account } from '../account/account.js';
import type { HatifError } from '../errors/error.js';
import { sip, type NewSession, type SipSession, type SipStack } from './jssip.js';
import { connectWithinMs, firstRetryMs, REFUSED_RETRY_MS, retryDelayMs } from './retry.js';
import { endOfSession } from './session-end.js';

interface LineEvents {
  /** The platform knows this browser, at first and after each interruption. */
  registered: undefined;
  /** The WebSocket is gone; the line tries again by itself. */
  lost: undefined;
  /** The platform answers, but refuses. @see SIP status */
  refused: number | null;
  /** The platform takes the WebSocket no more, because the session is over. */
  over: HatifError;
  incoming: NewSession;
}

const REGISTER_SECONDS = 120;
/** The close code by which the platform knows that the page was left. */
const PAGE_LEFT = 4001;
/** Every third failure in a row asks why. */
const ASK_EVERY = 3;

/** The browser's SIP account on its WebSocket: connects, registers, and does both again after an interruption. */
export class Line extends Emitter<LineEvents> {
  readonly #stack: SipStack;
  readonly #socket: Closable;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #attempts = 0;
  #wasRegistered = false;
  /** Refusals before the first registration. */
  #refusals = 0;
  #isStopped = false;

  /** @param isInCall whether there is a call, so that an interruption must be short */
  constructor(
    private readonly account: Account,
    private readonly isInCall: () => boolean,
  ) {
    super();
    const socket = new sip.WebSocketInterface(account.ws_url);
    this.#socket = socket as Closable;
    // TLS ends at the platform: engines have a plain WebSocket, and FreeSWITCH calls back by the transport that Via names.
    this.#socket.via_transport = 'WS';
    this.#stack = new sip.UA({
      sockets: [socket],
      uri: account.sip.uri,
      authorization_user: account.sip.username,
      password: account.sip.password,
      display_name: account.display_name,
      register_expires: REGISTER_SECONDS,
      // The browser watches the audio itself, and asks for the dialog after each interruption.
      session_timers: false,
      user_agent: 'hatif-web',
    });
    this.#listen();
  }

  get isRegistered(): boolean {
    return this.#stack.isRegistered();
  }

  get isConnected(): boolean {
    return this.#stack.isConnected();
  }

  start(): void {
    this.#stack.start();
  }

  /** Unregisters and closes the WebSocket. Calls that are left end. */
  stop(): void {
    this.#isStopped = true;
    this.#forgetRetry();
    this.#stack.stop();
  }

  /**
   * Closes the WebSocket because the page is being left, without ending the calls: the platform keeps the other sides.
   * @param proof the account's password
   */
  leave(proof: string): void {
    this.#isStopped = true;
    this.#forgetRetry();
    this.#socket._ws?.close(PAGE_LEFT, proof);
  }

  /** Replaces a WebSocket that may be dead although nobody has noticed: the network has changed. */
  reopen(): void {
    if (this.#isStopped) return;
    this.#attempts = 0;
    this.#disconnect();
    this.#connect();
  }

  /** @param options of JsSIP */
  call(target: string, options: object): SipSession {
    return this.#stack.call(target, options);
  }

  #listen(): void {
    this.#stack.on('connected', () => {
      this.#attempts = 0;
      this.#forgetRetry();
    });
    this.#stack.on('disconnected', () => {
      if (this.#isStopped) return;
      this.emit('lost');
      this.#connectLater();
      void this.#askForEnd();
    });
    this.#stack.on('registered', () => {
      this.#wasRegistered = true;
      this.emit('registered');
    });
    this.#stack.on('registrationFailed', ({ response }) => this.#refused(response?.status_code ?? null));
    this.#stack.on('newRTCSession', (event) => {
      if (event.originator === 'remote') this.emit('incoming', event);
    });
  }

  #refused(status: number | null): void {
    if (this.#isStopped) return;
    const firstMs = this.#wasRegistered || status === null ? null : firstRetryMs(status, this.#refusals);
    if (firstMs !== null) {
      this.#refusals += 1;
      // By another WebSocket: the platform looks again for an engine that knows this browser.
      this.#later(firstMs, () => this.reopen());
      return;
    }
    this.emit('refused', status);
    // Without an answer the WebSocket is gone, and the next one registers. A refusal for good is not repeated.
    if (status === null || status < 500 || !this.#stack.isConnected()) return;
    this.#later(REFUSED_RETRY_MS, () => this.#stack.register());
  }

  #later(delayMs: number, run: () => void): void {
    this.#forgetRetry();
    this.#retry = setTimeout(run, delayMs);
  }

  /** JsSIP waits at least a second: a call that is on cannot. */
  #connectLater(): void {
    this.#later(retryDelayMs(this.#attempts++, Math.random(), this.isInCall()), () => this.#connect());
  }

  #connect(): void {
    this.#stack.transport.connect();
    const giveUp = (): void => {
      this.#disconnect();
      this.#connectLater();
    };
    this.#retry = setTimeout(giveUp, connectWithinMs(this.#attempts, this.isInCall()));
  }

  /** After several failures in a row: is the network away, or the session over? */
  async #askForEnd(): Promise<void> {
    if (this.#attempts % ASK_EVERY !== 0) return;
    const error = await endOfSession(this.account.ws_url);
    if (error !== null && !this.#isStopped) this.emit('over', error);
  }

  /** As if the other side had closed it: JsSIP's own `disconnect` would not come back. Does nothing if it is closed. */
  #disconnect(): void {
    this.#forgetRetry();
    if (!this.#socket.isConnected() && !this.#socket.isConnecting()) return;
    this.#socket.disconnect();
    this.#socket.ondisconnect(true, 1006, 'network changed');
    this.#forgetRetry();
  }

  #forgetRetry(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }
}

interface Closable {
  via_transport: string;
  readonly _ws: WebSocket | null;
  isConnected(): boolean | null;
  isConnecting(): boolean | null;
  disconnect(): void;
  ondisconnect(error: boolean, code: number, reason: string): void;
}
