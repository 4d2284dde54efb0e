import { Agent, request, type Dispatcher } from 'undici';
import { z } from 'zod';

/**
 * The outcome of a request.
 *
 * - `ok`: the provider did it
 * - `refused`: the provider did not do it, and says why
 * - `unsent`: nothing reached the provider
 * - `unknown`: it was sent, and no answer was understood
 */
export type GraphAnswer =
  | { readonly kind: 'ok'; readonly body: unknown }
  | GraphRefusal
  | { readonly kind: 'unsent' }
  | { readonly kind: 'unknown' };

export interface GraphRefusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly code: number;
  readonly subcode: number | null;
  readonly message: string;
}

export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  readonly token: string;
  readonly json?: object;
}

const TIMEOUT_MS = 20_000;
const CONNECTIONS = 32;
const MAX_BYTES = 1024 * 1024;

/** Errors that occur before anything was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const failure = z.object({
  error: z.object({
    message: z.string().default(''),
    code: z.number(),
    error_subcode: z.number().nullish(),
    error_user_msg: z.string().nullish(),
    error_data: z.object({ details: z.string().optional() }).nullish(),
  }),
});

/** The Graph API of Meta. The operator chose its address, which is not guarded. */
export class GraphClient {
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  readonly #base: string;

  /** @param baseUrl with the version: `https://graph.facebook.com/v23.0` */
  constructor(baseUrl: string) {
    this.#base = baseUrl.replace(/\/+$/, '');
  }

  /** Never rejects. */
  async ask({ method, path, token, json }: GraphRequest): Promise<GraphAnswer> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await request(this.#base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
        ...(json && { body: JSON.stringify(json) }),
        dispatcher: this.#agent,
        signal,
      });
      return answerOf(response.statusCode, await readJson(response.body));
    } catch (error) {
      return { kind: !signal.aborted && UNSENT.has(codeOf(error)) ? 'unsent' : 'unknown' };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function answerOf(status: number, body: unknown): GraphAnswer {
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  const { data } = failure.safeParse(body);
  // A page of a proxy on the way says nothing about what the provider did.
  if (!data) return { kind: 'unknown' };
  const { message, code, error_subcode, error_user_msg, error_data } = data.error;
  const words = error_user_msg ?? error_data?.details ?? message;
  return { kind: 'refused', status, code, subcode: error_subcode ?? null, message: words };
}

async function readJson(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the response is too large');
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
