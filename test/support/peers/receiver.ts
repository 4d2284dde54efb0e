import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';

import { canMove, isFinal, type CallStatus } from '../../../core/model/call/call.js';
import { Waiting } from '../waiting.js';
import { listenOnLoopback, portOf } from './listening.js';

/** One request as it arrived. */
export interface Received {
  readonly path: string;
  /** `webhook-id`: the event's. */
  readonly id: string;
  /** `webhook-timestamp`, in seconds. */
  readonly timestamp: number;
  readonly signatures: readonly string[];
  /** The exact text that was signed. */
  readonly body: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The status of the answer; null if there is none (yet). */
  status: number | null;
}

/** What to answer. `hold` answers nothing until {@link WebhookReceiver.release}; `drop` closes the connection. */
export type Answer =
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hold'
  | 'drop';

/** Decides on an answer; `attempt` counts the requests with this id, from 1. */
export type Script = (request: Received, attempt: number) => Answer;

/**
 * A webhook receiver on loopback. It echoes challenges, answers 204 unless scripted otherwise, checks signatures and
 * keeps all requests.
 */
export class WebhookReceiver {
  readonly requests: Received[] = [];
  /** Answers ordinary events; challenges are echoed unless `challenge` is scripted too. */
  script: Script = () => 204;
  challenge: Script = ({ data }) => ({ status: 200, body: JSON.stringify({ challenge: data.challenge }) });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Waiting();
  readonly #attempts = new Map<string, number>();
  #held: (() => void)[] = [];
  #secrets: string[] = [];
  #faults: string[] = [];

  private constructor() {
    this.#server = createServer((req, res) => void this.#receive(req, res));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** @param port a free one by default. */
  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await listenOnLoopback(receiver.#server, port);
    return receiver;
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** The receiver's address; it accepts any path. */
  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Checks every signature from now on: each message must be signed with one of these secrets. */
  trust(...secrets: string[]): void {
    this.#secrets = secrets;
  }

  /** The received events, without challenges; all of them or those of a path. */
  events(path?: string): readonly Received[] {
    return this.requests.filter(({ type, path: at }) => type !== 'webhook.verify' && (path ?? at) === at);
  }

  /** Events that were answered with a 2xx, each id once, in the order of their first success. */
  accepted(path?: string): readonly Received[] {
    const first = new Map<string, Received>();
    for (const event of this.events(path)) {
      const taken = event.status !== null && event.status >= 200 && event.status < 300;
      if (taken && !first.has(event.id)) first.set(event.id, event);
    }
    return [...first.values()];
  }

  /** Resolves with the first request that fits, including earlier ones. */
  async waitFor(fits: (request: Received) => boolean, what = 'a request'): Promise<Received> {
    return this.waitUntil(() => this.requests.find(fits), what);
  }

  /** Resolves when `holds` returns a value, now or after a request. Rejects after 20 s with a list of all requests. */
  async waitUntil<T>(holds: () => T | undefined | null | false, what = 'the condition'): Promise<T> {
    return this.#waiting.until(holds, () => {
      const seen = this.requests.map(({ type, id, status }) => `${type} ${id} ${String(status)}`);
      return `the receiver timed out waiting for ${what}; it received:\n${seen.join('\n')}`;
    });
  }

  /** Answers all held requests with 204. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Throws unless every request was signed, well formed, and each id always came to a path with the same bytes. */
  assertSound(): void {
    const bodies = new Map<string, string>();
    const faults = [...this.#faults];
    for (const { id, path, body } of this.requests) {
      const message = `${id} at ${path}`;
      if ((bodies.get(message) ?? body) !== body) faults.push(`${message} came with different bytes`);
      bodies.set(message, body);
    }
    if (faults.length > 0) throw new Error(`the receiver found:\n${faults.join('\n')}`);
  }

  /**
   * Throws unless the call's accepted events are 1..n without a gap, in a legal order of statuses, and (if `isOver`)
   * end in one final status. The order is that of the sequence; {@link assertInOrder} checks the order of arrival.
   */
  assertLegalPath(callId: string, isOver = true): void {
    const events = this.#ofCall(callId).sort((one, other) => sequenceOf(one) - sequenceOf(other));
    const sequences = events.map(sequenceOf);
    const expected = sequences.map((_, index) => index + 1);
    if (events.length === 0 || sequences.join() !== expected.join()) {
      throw new Error(`call ${callId}: sequences ${sequences.join()} instead of 1..n`);
    }
    let status: CallStatus = 'initiated';
    // A conference has a status of its own.
    for (const event of events.filter(({ type }) => type.startsWith('call.'))) {
      const next = event.data.status as CallStatus;
      if (event === events[0] && next !== 'initiated') throw new Error(`call ${callId}: begins with ${next}`);
      if (next !== status && !canMove(status, next)) throw new Error(`call ${callId}: ${status} → ${next} is illegal`);
      if (next === status && event.type === `call.${next}` && event !== events[0]) {
        throw new Error(`call ${callId}: ${event.type} was sent twice`);
      }
      status = next;
    }
    if (isOver && !isFinal(status)) throw new Error(`call ${callId}: ends with ${status}`);
  }

  /** Throws unless the call's events were accepted in the order of their sequence. */
  assertInOrder(callId: string): void {
    const sequences = this.#ofCall(callId).map(sequenceOf);
    const sorted = [...sequences].sort((one, other) => one - other);
    if (sequences.join() !== sorted.join()) throw new Error(`call ${callId}: arrived in the order ${sequences.join()}`);
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #ofCall(callId: string): Received[] {
    return this.accepted().filter(({ data }) => data.call_id === callId);
  }

  async #receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const request = this.#read(req, Buffer.concat(chunks).toString('utf8'));
    this.requests.push(request);
    const attempt = (this.#attempts.get(request.id) ?? 0) + 1;
    this.#attempts.set(request.id, attempt);
    const decide = request.type === 'webhook.verify' ? this.challenge : this.script;
    const answer = decide(request, attempt);
    if (answer === 'hold') this.#held.push(() => this.#answer(request, res, 204));
    else if (answer === 'drop') req.socket.destroy();
    else this.#answer(request, res, answer);
    this.#waiting.changed();
  }

  #answer(request: Received, res: ServerResponse, answer: Exclude<Answer, string>): void {
    const { status, headers = {}, body = '' } = typeof answer === 'number' ? { status: answer } : answer;
    request.status = status;
    res.writeHead(status, headers);
    res.end(body);
    this.#waiting.changed();
  }

  #read(req: IncomingMessage, body: string): Received {
    const parsed = JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> };
    const request: Received = {
      path: req.url ?? '',
      id: String(req.headers['webhook-id']),
      timestamp: Number(req.headers['webhook-timestamp']),
      signatures: String(req.headers['webhook-signature']).split(' '),
      body,
      type: parsed.type,
      data: parsed.data,
      status: null,
    };
    const members = Object.keys(parsed).join();
    const isOfCall = parsed.data.sequence !== undefined;
    const expected = isOfCall ? 'type,timestamp,previous_sequence,data' : 'type,timestamp,data';
    if (members !== expected) this.#faults.push(`${request.id}: the body has ${members}`);
    if (this.#secrets.length > 0 && !this.#isSigned(request)) this.#faults.push(`${request.id}: no good signature`);
    return request;
  }

  /** Like Standard Webhooks' own library, but without its limit of 5 minutes: tests may set the clock. */
  #isSigned({ id, timestamp, body, signatures }: Received): boolean {
    return this.#secrets.some((secret) =>
      signatures.includes(new Webhook(secret).sign(id, new Date(timestamp * 1000), body)),
    );
  }
}

function sequenceOf(event: Received): number {
  return Number(event.data.sequence);
}
