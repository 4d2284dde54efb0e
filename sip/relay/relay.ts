import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { hostPort, type HostPort } from '../../core/model/host-port.js';
import type { Clock, Timer } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { SipText } from '../message/text.js';
import type { Hidden } from './hiding.js';
import type { Inwards, OwnRequest } from './inwards.js';
import type { Outwards } from './outwards.js';
import type { Outgoing } from './step.js';

export interface RelayOptions {
  /** Where engines reach it; it listens on this port of every address. */
  readonly inside: HostPort;
  readonly outside: HostPort;
  readonly inwards: Inwards;
  readonly outwards: Outwards;
  /** Whether an engine sends from here. */
  readonly isEngine: (source: HostPort) => boolean;
  /** Whether drachtio-server sends from here. */
  readonly isDrachtio: (host: string) => boolean;
  readonly hidden: () => Hidden;
  /** Serves a request for the edge itself. */
  readonly onOwn: (own: OwnRequest) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Another process of this machine has the port; it is free as soon as that one ends. */
const AGAIN_MS = 500;
const BUFFER_BYTES = 4 * 1024 * 1024;
/** Timers of RFC 3261: E, its longest interval, and F. */
const T1_MS = 500;
const T2_MS = 4_000;
const TIMER_F_MS = 64 * T1_MS;

/** Node.js asks its resolver about each datagram, which takes as long as sending it; most targets are addresses. */
const addressOrLookup: SocketOptions['lookup'] = (host, options, found) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, found);
  else found(null, host, family);
};

interface Sent {
  readonly settle: (status: number | null) => void;
}

/**
 * Stands between engines and drachtio-server, and passes on every message of a call. It remembers nothing: what it needs
 * again is sealed in the messages, so a call survives its end, and any other process can take its place. One process of a
 * machine has the port; another one takes it over when that one ends.
 */
export class Relay {
  #socket: Socket | null = null;
  #isStopped = false;
  #hasFailed = false;
  #again: Timer | null = null;
  /** Requests of the edge itself that wait for a response, by their branch. */
  readonly #sent = new Map<string, Sent>();

  constructor(private readonly options: RelayOptions) {}

  /** Whether this process has the port. */
  get isServing(): boolean {
    return this.#socket !== null;
  }

  /** Resolves after the first attempt. */
  start(): Promise<void> {
    return new Promise((resolve) => this.#open(resolve));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#again?.cancel();
    for (const { settle } of this.#sent.values()) settle(null);
    const socket = this.#socket;
    this.#socket = null;
    if (socket) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  #open(onTried: () => void): void {
    const { inside, clock, log } = this.options;
    const socket = createSocket({ type: isIPv6(inside.host) ? 'udp6' : 'udp4', lookup: addressOrLookup });
    const failed = (error: NodeJS.ErrnoException): void => {
      socket.close();
      if (error.code !== 'EADDRINUSE' && !this.#hasFailed) {
        log.warn({ err: error, port: inside.port }, 'the SIP relay has no port');
      }
      this.#hasFailed = true;
      if (!this.#isStopped) this.#again = clock.after(AGAIN_MS, () => this.#open(() => undefined));
      onTried();
    };
    socket.once('error', failed);
    socket.bind({ port: inside.port, exclusive: true }, () => {
      if (this.#isStopped) {
        socket.close();
        onTried();
        return;
      }
      socket.off('error', failed).on('error', (error) => log.warn({ err: error }, 'the SIP relay could not send'));
      socket.on('message', (datagram, source) => this.#received(datagram, source));
      for (const set of ['setRecvBufferSize', 'setSendBufferSize'] as const) {
        try {
          socket[set](BUFFER_BYTES);
        } catch (error) {
          log.info({ err: error }, 'the SIP relay keeps the usual buffers');
        }
      }
      this.#socket = socket;
      log.info({ port: inside.port }, 'the SIP relay serves');
      onTried();
    });
  }

  /**
   * Sends a request of the edge itself, again and again until a response arrives (RFC 3261 §17.1.2).
   * @param request without `Via`
   * @returns the status of the final response, 408 without one; null if this process does not have the port, or ends
   */
  send(request: SipText, to: HostPort): Promise<number | null> {
    if (this.#socket === null) return Promise.resolve(null);
    const branch = `z9hG4bK${randomBytes(12).toString('base64url')}`;
    const via = `SIP/2.0/UDP ${hostPort(this.options.outside)};branch=${branch};rport`;
    const message = SipText.of(request.start, [['Via', via], ...request.fields], request.body);
    const { clock } = this.options;
    return new Promise((resolve) => {
      let timer: Timer | null = null;
      const over = clock.after(TIMER_F_MS, () => settle(408));
      const settle = (status: number | null): void => {
        timer?.cancel();
        over.cancel();
        this.#sent.delete(branch);
        resolve(status);
      };
      const attempt = (nextMs: number): void => {
        this.#write({ message, to });
        timer = clock.after(nextMs, () => attempt(Math.min(2 * nextMs, T2_MS)));
      };
      this.#sent.set(branch, { settle });
      attempt(T1_MS);
    });
  }

  /** Sends a response of the edge itself. */
  answer(message: SipText, to: HostPort): void {
    this.#write({ message, to });
  }

  #received(datagram: Buffer, { address, port }: RemoteInfo): void {
    const source = { host: address.replace(/^::ffff:(?=\d+\.)/i, ''), port };
    const isEngine = this.options.isEngine(source);
    if (!isEngine && !this.options.isDrachtio(source.host)) return;
    const message = SipText.parse(datagram);
    if (message === null) return;
    this.#pass(message, source, isEngine).catch((error: unknown) => {
      this.options.log.warn({ err: error, method: message.method }, 'a SIP message could not be passed on');
    });
  }

  async #pass(message: SipText, source: HostPort, isEngine: boolean): Promise<void> {
    const { inwards, outwards, hidden, onOwn } = this.options;
    if (message.status !== null) {
      if (this.#settles(message, message.status)) return;
      const passed = isEngine ? inwards.response(message, source, hidden()) : [outwards.response(message, source)];
      for (const one of passed) if (one) this.#write(one);
    } else if (isEngine) {
      const passed = await outwards.request(message, source, hidden());
      if (passed) this.#write(passed);
    } else {
      const passed = inwards.request(message, source);
      if (passed === null) return;
      if ('to' in passed) this.#write(passed);
      else await onOwn(passed);
    }
  }

  #settles(message: SipText, status: number): boolean {
    const [via = ''] = message.all('via');
    const sent = this.#sent.get(/;branch=([^;]+)/.exec(via)?.[1] ?? '');
    if (sent && status >= 200) sent.settle(status);
    return sent !== undefined;
  }

  #write({ message, to }: Outgoing): void {
    const { inside, log } = this.options;
    const host = isIPv6(inside.host) && isIPv4(to.host) ? `::ffff:${to.host}` : to.host;
    this.#socket?.send(message.toBuffer(), to.port, host, (error) => {
      if (error) log.info({ err: error, to: hostPort(to) }, 'a SIP message could not be sent');
    });
  }
}
