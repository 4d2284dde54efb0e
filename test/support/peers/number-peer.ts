import { matchesSearch, type NumberSearch, type OwnableKind } from '../../../core/model/number/search.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import { SignedPeer } from './signed-peer.js';

interface Order {
  readonly number: string;
  status: 'reserved' | 'released';
}

/** A number provider that follows docs/reference/number-provider.md, with the faults of real ones. */
export class NumberPeer extends SignedPeer {
  readonly orders = new Map<string, Order>();
  /** Requests such as `PUT +966…`, in order of arrival. */
  readonly asked: string[] = [];

  private constructor(
    secret: string,
    private readonly numbers: readonly string[],
  ) {
    super(secret);
  }

  static start(secret: string, numbers: readonly string[]): Promise<NumberPeer> {
    return new NumberPeer(secret, numbers).listen();
  }

  /** The ids of orders that hold the number. */
  holdersOf(number: string): string[] {
    return [...this.orders]
      .filter(([, order]) => order.number === number && order.status === 'reserved')
      .map(([id]) => id);
  }

  protected override do(method: string, url: URL, body: string): [number, object | null] {
    if (method === 'GET' && url.pathname === '/api/numbers') return [200, this.#list(url.searchParams)];
    const [, id] = /^\/api\/orders\/([0-9a-f-]{36})$/.exec(url.pathname) ?? [];
    if (id === undefined) return [404, { error: 'not_found' }];
    const { number } = JSON.parse(body) as { number: string };
    this.asked.push(`${method} ${number}`);
    const order = this.orders.get(id);
    if (method === 'DELETE') {
      // Also releases an order that has not arrived: it must not succeed later.
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
        matchesSearch({ e164, kind }, search) && this.holdersOf(e164).length === 0 && e164 > (query.get('cursor') ?? '')
      );
    });
    // Small pages, so that there are several.
    const shown = free.slice(0, Math.min(3, Number(query.get('limit'))));
    return {
      data: shown.map((number) => ({ number, type: kindOf(number) })),
      next_cursor: free.length > shown.length ? shown.at(-1) : null,
    };
  }
}

function kindOf(e164: string): OwnableKind {
  const kind = parseNumber(e164, { allowForeign: true })?.kind;
  return kind === undefined || kind === 'emergency' ? 'foreign' : kind;
}
