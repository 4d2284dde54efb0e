import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isWanted, type NumberSearch, type OwnableKind } from '../../core/model/number/search.js';
import { parseNumber } from '../../core/model/phone-numbers.js';

interface Order {
  readonly number: string;
  status: 'reserved' | 'released';
}

/** What the next requests of a method meet: no answer after the work was done, none before it, or this status. */
export type Fault = 'lost_answer' | 'lost_request' | number;

/** A number provider that keeps to docs/numbers.md, with the faults of real ones. */
export class NumberPeer {
  readonly orders = new Map<string, Order>();
  /** `PUT +966…` in the order of their coming. */
  readonly asked: string[] = [];
  /** What was not signed as it should be. */
  readonly unsigned: string[] = [];
  #faults: { readonly method: string; readonly fault: Fault }[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly secret: string,
    private readonly numbers: readonly string[],
  ) {}

  static async start(secret: string, numbers: readonly string[]): Promise<NumberPeer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const peer = new NumberPeer(server, secret, numbers);
    server.on('request', (req, res) => void peer.#answer(req, res));
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api`;
  }

  failNext(method: string, fault: Fault): void {
    this.#faults.push({ method, fault });
  }

  /** Who has the number by an order that stands. */
  holdersOf(number: string): string[] {
    return [...this.orders]
      .filter(([, order]) => order.number === number && order.status === 'reserved')
      .map(([id]) => id);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const { method = '', url = '' } = req;
    if (!this.#isSigned(req, body)) {
      this.unsigned.push(`${method} ${url}`);
      send(res, 401, { error: 'unauthorized' });
      return;
    }
    const fault = this.#takeFault(method);
    if (fault === 'lost_request') return void req.socket.destroy();
    if (typeof fault === 'number') {
      send(res, fault, { error: 'fault', message: 'as the test wants it' });
      return;
    }
    const [status, answer] = this.#do(method, new URL(url, 'http://peer'), body);
    if (fault === 'lost_answer') return void req.socket.destroy();
    send(res, status, answer);
  }

  #do(method: string, url: URL, body: string): [number, object | null] {
    if (method === 'GET' && url.pathname === '/api/numbers') return [200, this.#list(url.searchParams)];
    const [, id] = /^\/api\/orders\/([0-9a-f-]{36})$/.exec(url.pathname) ?? [];
    if (id === undefined) return [404, { error: 'not_found' }];
    const { number } = JSON.parse(body) as { number: string };
    this.asked.push(`${method} ${number}`);
    const order = this.orders.get(id);
    if (method === 'DELETE') {
      // Also one that never came: it must not come later.
      this.orders.set(id, { number, status: 'released' });
      return [204, null];
    }
    if (order) return order.status === 'released' ? [410, { error: 'released' }] : [200, { order_id: id, number }];
    if (!this.numbers.includes(number) || this.holdersOf(number).length > 0) return [409, { error: 'not_available' }];
    this.orders.set(id, { number, status: 'reserved' });
    return [201, { order_id: id, number }];
  }

  #list(query: URLSearchParams): object {
    const search: NumberSearch = {
      prefix: query.get('prefix'),
      kind: query.get('type') as OwnableKind | null,
      pattern: query.get('pattern'),
    };
    const free = this.numbers.filter((e164) => {
      const kind = kindOf(e164);
      return (
        isWanted({ e164, kind }, search) && this.holdersOf(e164).length === 0 && e164 > (query.get('cursor') ?? '')
      );
    });
    // Small pages, so that there are several.
    const shown = free.slice(0, Math.min(3, Number(query.get('limit'))));
    return {
      data: shown.map((number) => ({ number, type: kindOf(number) })),
      next_cursor: free.length > shown.length ? shown.at(-1) : null,
    };
  }

  #isSigned(req: IncomingMessage, body: string): boolean {
    const at = String(req.headers['hatif-timestamp']);
    const signed = [at, req.method, req.url, body].join('\n');
    const wanted = Buffer.from(`v1,${createHmac('sha256', this.secret).update(signed).digest('base64')}`);
    const given = Buffer.from(String(req.headers['hatif-signature']));
    const isFresh = Math.abs(Date.now() / 1000 - Number(at)) < 300;
    return isFresh && wanted.length === given.length && timingSafeEqual(wanted, given);
  }

  #takeFault(method: string): Fault | null {
    const index = this.#faults.findIndex((one) => one.method === method);
    return index === -1 ? null : (this.#faults.splice(index, 1)[0]?.fault ?? null);
  }
}

function kindOf(e164: string): OwnableKind {
  const kind = parseNumber(e164, { allowForeign: true })?.kind;
  return kind === undefined || kind === 'emergency' ? 'foreign' : kind;
}

function send(res: ServerResponse, status: number, body: object | null): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(body === null ? undefined : JSON.stringify(body));
}
