import { createHmac } from 'node:crypto';
import { Agent, request, type Dispatcher } from 'undici';

export interface SignedJsonOptions {
  /** Chosen by the operator, so its address is not guarded. */
  readonly url: string;
  /** The key that signs every request. */
  readonly secret: string;
  /** Timeout of a whole request. */
  readonly timeoutMs: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Null if it is not JSON. */
  readonly body: unknown;
}

/** There was no response, or an unreadable one. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  constructor(
    /** What failed; completes a sentence that starts with `the provider`. */
    message: string,
    /** Whether the request certainly was never sent. */
    readonly isUnsent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The maximum size of a response. */
const MAX_BYTES = 1024 * 1024;

/** Errors that occur before anything was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Sends JSON to the operator's provider. Each request is signed with HMAC-SHA256 over time, method, target and body,
 * one per line.
 */
export class SignedJsonClient {
  readonly #agent = new Agent({ connections: 8, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  readonly #url: string;

  constructor(private readonly options: SignedJsonOptions) {
    this.#url = options.url.replace(/\/+$/, '');
  }

  /** @throws NoResponseError */
  async ask(method: 'GET' | 'PUT' | 'DELETE', target: string, json?: object): Promise<JsonAnswer> {
    const { timeoutMs } = this.options;
    const body = json === undefined ? '' : JSON.stringify(json);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(`${this.#url}${target}`, {
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
      if (error instanceof NoResponseError) throw error;
      if (!signal.aborted && NOT_SENT.has(codeOf(error)))
        throw new NoResponseError('is unreachable', true, { cause: error });
      const what = signal.aborted ? 'did not respond in time' : 'closed the connection';
      throw new NoResponseError(what, false, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #signed(method: string, target: string, body: string): Record<string, string> {
    const { secret } = this.options;
    const at = String(Math.floor(Date.now() / 1000));
    const path = new URL(`${this.#url}${target}`);
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
    if (bytes > MAX_BYTES) throw new NoResponseError('sent a response that is too large', false);
  }
  if (bytes === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return '';
}
