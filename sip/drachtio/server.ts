import { hostPort, type HostPort } from '../../core/model/host-port.js';
import { SIP_TRANSPORTS, type SipTransport } from '../../core/model/sip-uri.js';
import { within } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { Headers } from '../message/headers.js';
import type { HeaderFields, SipAnswer, SipRequest, SipTarget } from '../message/request.js';
import { Arrivals } from './arrivals.js';
import { bridgeCall } from './bridge.js';
import { disconnect, gatherWrites, newClient, type SrfClient, type SrfRequest, type SrfResponse } from './library.js';

/** What the edge answers; every other method outside of a dialog is refused. */
const METHODS = [
  'register',
  'invite',
  'options',
  'subscribe',
  'message',
  'notify',
  'publish',
  'info',
  'refer',
] as const;
/** Without a limit, the pause between two attempts to connect grows to hours. */
const LONGEST_PAUSE_MS = 2_000;
/** drachtio-server says within this time that it has no connection to a phone. */
const KNOWN_WITHIN_MS = 1_000;
/** What it answers to a request that it could not send. */
const UNSENT = 503;
/** How long a request of the edge itself may take: the timer F of RFC 3261. */
const ANSWERED_WITHIN_MS = 32_000;

interface Contact extends HostPort {
  readonly transport: SipTransport;
}

export interface DrachtioServerOptions {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly onRequest: (request: SipRequest) => void;
  readonly log: Logger;
}

/** The connection to drachtio-server, which speaks SIP for the edge. It reconnects until it is stopped. */
export class DrachtioServer {
  readonly #client: SrfClient = newClient();
  #isConnected = false;
  #isStopped = false;
  readonly #waiting: (() => void)[] = [];
  readonly #arrivals = new Arrivals();
  /** What drachtio-server last said that it listens on. */
  #contacts: readonly Contact[] = [];

  constructor(private readonly options: DrachtioServerOptions) {}

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** The host by which others know the edge; null before the first connection. */
  get host(): string | null {
    return (this.#contactOf('udp') ?? this.#contactOf('tcp') ?? this.#contacts[0])?.host ?? null;
  }

  #contactOf(transport: SipTransport): Contact | undefined {
    const same = this.#contacts.filter((contact) => contact.transport === transport);
    // Another contact may be for this machine only.
    return same.find(({ host }) => !host.startsWith('127.')) ?? same[0];
  }

  /** The edge, as senders of this transport reach it. */
  #routeOf(transport: SipTransport): string {
    const contact = this.#contactOf(transport);
    return contact ? `<sip:${hostPort(contact)};transport=${transport};lr>` : '';
  }

  start(): void {
    const { host, port, secret, log } = this.options;
    const client = this.#client;
    client.on('connect', (error: Error | null, hostPorts?: string) => {
      if (this.#isStopped) {
        // An attempt to connect that was under way.
        disconnect(client);
        return;
      }
      gatherWrites(client);
      if (error) log.error({ err: error }, 'drachtio-server refused DRACHTIO_SECRET');
      else log.info({ hostPorts }, 'connected to drachtio-server');
      if (hostPorts !== undefined) this.#contacts = parseContacts(hostPorts);
      this.#set(error === null);
    });
    // Without a listener, an error would end the process. The client connects again by itself.
    client.on('error', (error: Error) => {
      if (this.#isConnected) log.warn({ err: error }, 'the connection to drachtio-server failed');
      this.#set(false);
    });
    client.on('close', () => {
      if (this.#isConnected && !this.#isStopped) log.warn({}, 'drachtio-server closed the connection');
      this.#set(false);
    });
    for (const method of METHODS) client.use(method, (request, response) => this.#receive(request, response));
    client.connect({ host, port, secret, reconnect: { retryMaxDelay: LONGEST_PAUSE_MS }, enablePing: true });
  }

  /** Resolves once the server can be used. */
  connected(): Promise<void> {
    if (this.#isConnected) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#isConnected) disconnect(this.#client);
    // Otherwise the client would go on trying to connect.
    else if (this.#client.app.client) this.#client.app.client.wp.closing = true;
    this.#set(false);
  }

  /**
   * Sends a request outside of a dialog.
   * @returns the status of the final response; null if there is none in time, or the request could not be sent
   */
  async send(method: string, target: SipTarget, headers: HeaderFields, body = ''): Promise<number | null> {
    if (!this.#isConnected) return null;
    const request = { ...wayTo(target), method, headers: oneEach(headers), ...(body !== '' && { body }) };
    const answered = new Promise<number | null>((resolve) => {
      this.#client.request(request, (error, sent) => {
        if (error || !sent) resolve(null);
        else sent.on('response', ({ status }) => (status >= 200 ? resolve(status) : undefined));
      });
    });
    // The library never settles what it was doing when the connection broke.
    return within(ANSWERED_WITHIN_MS, answered).catch(() => null);
  }

  /** Whether a phone can be sent something. Without an answer in time, it is said to be reached. */
  async reaches(target: SipTarget): Promise<boolean> {
    const asked = this.send('OPTIONS', target, {});
    const status = await within(KNOWN_WITHIN_MS, asked).catch(() => 'unanswered' as const);
    return status !== null && status !== UNSENT;
  }

  #set(isConnected: boolean): void {
    this.#isConnected = isConnected;
    if (!isConnected) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** drachtio-server says `tcp` of a WebSocket. */
  #transportOf({ protocol, receivedOn = '' }: SrfRequest): SipTransport {
    const named = SIP_TRANSPORTS.find((known) => known === protocol.toLowerCase()) ?? 'udp';
    if (named !== 'tcp') return named;
    const port = Number(receivedOn.slice(receivedOn.lastIndexOf(':') + 1));
    const isWeb = ({ transport }: Contact): boolean => transport === 'ws' || transport === 'wss';
    return this.#contacts.find((contact) => isWeb(contact) && contact.port === port)?.transport ?? named;
  }

  #receive(request: SrfRequest, response: SrfResponse): void {
    const transport = this.#transportOf(request);
    const waitedMs = this.#arrivals.waitedMs(request.stackTime, Date.now());
    const reached = { transport, route: this.#routeOf(transport), waitedMs };
    const received = new ReceivedRequest(this.#client, request, response, reached, this.options.log);
    try {
      this.options.onRequest(received);
    } catch (error) {
      this.options.log.error({ err: error, method: request.method }, 'a SIP request could not be handled');
      received.answer(500);
    }
  }
}

class ReceivedRequest implements SipRequest {
  readonly headers: Headers;
  readonly source: SipRequest['source'];
  readonly route: string;
  readonly waitedMs: number;
  /** drachtio-server has answered it, and would pass it on all the same. */
  #isCancelled = false;

  constructor(
    private readonly client: SrfClient,
    private readonly request: SrfRequest,
    private readonly response: SrfResponse,
    { transport, route, waitedMs }: Pick<SipRequest, 'route' | 'waitedMs'> & { readonly transport: SipTransport },
    private readonly log: Logger,
  ) {
    this.headers = new Headers(request.raw);
    const host = request.source_address.replace(/^\[|\]$/g, '');
    this.source = { host, port: request.source_port, transport };
    this.route = route;
    this.waitedMs = waitedMs;
    request.on('cancel', () => (this.#isCancelled = true));
  }

  get method(): string {
    return this.request.method;
  }

  get uri(): string {
    return this.request.uri;
  }

  get body(): string {
    return this.request.body ?? '';
  }

  answer(status: number, { reason, headers = {} }: SipAnswer = {}): void {
    if (this.response.finalResponseSent) return;
    this.response.send(status, reason, { headers: oneEach(headers) });
  }

  ignore(): void {
    // The library keeps an INVITE until its final response is sent.
    const { agent, socket } = this.request;
    const callId = this.request.get('call-id');
    if (callId !== undefined) agent.mapServer.get(socket)?.pendingNetworkInvites.delete(callId);
  }

  async proxy(targets: readonly SipTarget[], headers: HeaderFields, silentAfterMs: number): Promise<void> {
    if (this.#isCancelled) return;
    await this.request.proxy({
      destination: targets.map(({ uri }) => uri),
      forking: 'simultaneous',
      remainInDialog: true,
      provisionalTimeout: `${silentAfterMs}ms`,
      headers: oneEach(headers),
    });
  }

  bridge(targets: readonly SipTarget[], headers: HeaderFields): Promise<void> {
    if (this.#isCancelled) return Promise.resolve();
    const routed = targets.map((target) => ({ ...wayTo(target), headers: oneEach(headers) }));
    return bridgeCall(this.client, this.request, this.response, routed, this.log);
  }
}

/** The library has one text for each name; further fields of a name are lines in that text. */
function oneEach(headers: HeaderFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => {
      const list = typeof values === 'string' ? [values] : values;
      return [name, list.map((value) => value.replace(/[\r\n]+/g, ' ')).join(`\r\n${name}: `)];
    }),
  );
}

/** The library sends no `Route`: a request takes the nearest proxy of its path as its next hop. */
function wayTo({ uri, path: [next] }: SipTarget): { readonly uri: string; readonly proxy?: string } {
  return next === undefined ? { uri } : { uri, proxy: next };
}

/** Reads what drachtio-server listens on: `udp/192.0.2.1:5060,tls/192.0.2.1:5061`. */
export function parseContacts(text: string): readonly Contact[] {
  return text.split(',').flatMap((one) => {
    const [, named, host = '', port] = /^(\w+)\/\[?([^\]]+?)\]?:(\d+)$/.exec(one.trim()) ?? [];
    const transport = SIP_TRANSPORTS.find((known) => known === named);
    return transport === undefined ? [] : [{ transport, host, port: Number(port) }];
  });
}
