import { z } from 'zod';
import { OWNABLE_KINDS, type NumberSearch } from '../../core/model/number/search.js';
import {
  NumberProviderError,
  type NumberOrder,
  type NumberProvider,
  type OfferedNumber,
} from '../../core/ports/number-provider.js';
import { NoResponseError, type JsonAnswer } from '../http/json-request.js';
import { SignedJsonClient, type SignedJsonOptions } from '../http/signed-json.js';

const PAGE = 100;
/** Maximum pages per search, in case a provider's pages never end. */
const MAX_PAGES = 100;

const offersPage = z.object({
  data: z.array(z.object({ number: z.string().regex(/^\+[1-9]\d{5,14}$/), type: z.enum(OWNABLE_KINDS) })),
  next_cursor: z.string().min(1).nullable(),
});

const refusal = z.object({ error: z.string(), message: z.string().optional() });

/**
 * A number provider with the JSON protocol of docs/reference/number-provider.md: `GET /numbers`,
 * `PUT /orders/{id}`, `DELETE /orders/{id}`, each request signed.
 */
export class HttpNumberProvider implements NumberProvider {
  readonly name = 'http';
  readonly source = 'provider';
  readonly #client: SignedJsonClient;

  constructor(options: SignedJsonOptions) {
    this.#client = new SignedJsonClient(options);
  }

  async *offers({ prefix, kind, pattern }: NumberSearch): AsyncGenerator<readonly OfferedNumber[]> {
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (prefix !== null) query.set('prefix', prefix);
      if (kind !== null) query.set('type', kind);
      if (pattern !== null) query.set('pattern', pattern);
      if (cursor !== null) query.set('cursor', cursor);
      const { status, body } = await this.#ask('GET', `/numbers?${query.toString()}`);
      if (status !== 200) throw failureOf(status, body);
      const read = offersPage.safeParse(body);
      if (!read.success)
        throw new NumberProviderError('indeterminate', 'the provider’s list is not in the agreed format');
      yield read.data.data.map(({ number, type }) => ({ e164: number, kind: type }));
      cursor = read.data.next_cursor;
      if (cursor === null) return;
    }
  }

  async reserve({ id, e164 }: NumberOrder): Promise<void> {
    const { status, body } = await this.#ask('PUT', `/orders/${id}`, { number: e164 });
    if (status !== 200 && status !== 201) throw failureOf(status, body);
  }

  async release({ id, e164 }: NumberOrder): Promise<void> {
    const { status, body } = await this.#ask('DELETE', `/orders/${id}`, { number: e164 });
    if (status !== 200 && status !== 204 && status !== 404 && status !== 410) throw failureOf(status, body);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #ask(method: 'GET' | 'PUT' | 'DELETE', target: string, json?: object): Promise<JsonAnswer> {
    try {
      return await this.#client.ask(method, target, json);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      const problem = error.isUnsent ? 'unavailable' : 'indeterminate';
      throw new NumberProviderError(problem, `the provider ${error.message}`, { cause: error });
    }
  }
}

function failureOf(status: number, body: unknown): NumberProviderError {
  const read = refusal.safeParse(body);
  const message = read.success ? (read.data.message ?? read.data.error) : `status ${status}`;
  if (status === 409 && read.success && read.data.error === 'not_available') {
    return new NumberProviderError('not_available', message);
  }
  // 429 means that the provider did not process the request; any other 4xx is a final response.
  if (status === 429) return new NumberProviderError('unavailable', message);
  return new NumberProviderError(status >= 400 && status < 500 ? 'refused' : 'indeterminate', message);
}
