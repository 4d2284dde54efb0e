import { createHmac } from 'node:crypto';
import { Agent, request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { OWNABLE_KINDS, type NumberSearch } from '../../core/model/number/search.js';
import {
  NumberProviderError,
  type NumberOrder,
  type NumberProvider,
  type OfferedNumber,
} from '../../core/ports/number-provider.js';

export interface HttpNumberProviderOptions {
  /** Without a slash at the end. */
  readonly url: string;
  /** Signs every request. */
  readonly secret: string;
  /** The limit of everything in one request. */
  readonly timeoutMs: number;
}

/** An answer of more than this is no answer. */
const MAX_BYTES = 1024 * 1024;
const PAGE = 100;
/** Pages of one search; a provider that goes on for ever is not followed. */
const MAX_PAGES = 100;

const offersPage = z.object({
  data: z.array(z.object({ number: z.string().regex(/^\+[1-9]\d{5,14}$/), type: z.enum(OWNABLE_KINDS) })),
  next_cursor: z.string().min(1).nullable(),
});

const refusal = z.object({ error: z.string(), message: z.string().optional() });

/** Failures after which certainly nothing was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * A number provider that speaks the small JSON protocol of docs/numbers.md:
 * `GET /numbers`, `PUT /orders/{id}`, `DELETE /orders/{id}`, each request signed.
 */
export class HttpNumberProvider implements NumberProvider {
  readonly name = 'http';
  readonly source = 'provider';
  readonly #agent = new Agent({ connections: 8, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  constructor(private readonly options: HttpNumberProviderOptions) {}

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
      if (!read.success) throw new NumberProviderError('indeterminate', 'the provider’s list cannot be read');
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
    await this.#agent.destroy();
  }

  async #ask(method: 'GET' | 'PUT' | 'DELETE', target: string, json?: object): Promise<Answer> {
    const { url, timeoutMs } = this.options;
    const body = json === undefined ? '' : JSON.stringify(json);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(`${url}${target}`, {
        method,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          ...this.#signed(method, target, body),
        },
        ...(body !== '' && { body }),
        dispatcher: this.#agent,
        signal,
      });
      return { status: response.statusCode, body: await readJson(response.body) };
    } catch (error) {
      if (error instanceof NumberProviderError) throw error;
      if (!signal.aborted && NOT_SENT.has(codeOf(error))) {
        throw new NumberProviderError('unavailable', 'the provider was not reached', { cause: error });
      }
      const what = signal.aborted ? 'the provider did not answer in time' : 'the connection to the provider was lost';
      throw new NumberProviderError('indeterminate', what, { cause: error });
    }
  }

  /** HMAC-SHA256 of time, method, target and body, each on a line of its own. */
  #signed(method: string, target: string, body: string): Record<string, string> {
    const { url, secret } = this.options;
    const at = String(Math.floor(Date.now() / 1000));
    const path = new URL(`${url}${target}`);
    const text = [at, method, `${path.pathname}${path.search}`, body].join('\n');
    return {
      'Hatif-Timestamp': at,
      'Hatif-Signature': `v1,${createHmac('sha256', secret).update(text).digest('base64')}`,
    };
  }
}

async function readJson(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new NumberProviderError('indeterminate', 'the provider’s answer is too long');
  }
  if (bytes === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function failureOf(status: number, body: unknown): NumberProviderError {
  const read = refusal.safeParse(body);
  const said = read.success ? (read.data.message ?? read.data.error) : `status ${status}`;
  if (status === 409 && read.success && read.data.error === 'not_available') {
    return new NumberProviderError('not_available', said);
  }
  // Too many requests were not looked at; all else below 500 is an answer.
  if (status === 429) return new NumberProviderError('unavailable', said);
  return new NumberProviderError(status >= 400 && status < 500 ? 'refused' : 'indeterminate', said);
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return '';
}
