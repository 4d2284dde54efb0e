import { createHmac } from 'node:crypto';
import { Agent, request, type Dispatcher } from 'undici';

export interface SignedJsonOptions {
  /** Of an operator's choice: its address is not guarded. Without a slash at the end. */
  readonly url: string;
  /** Signs every request. */
  readonly secret: string;
  /** The limit of everything in one request. */
  readonly timeoutMs: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Null where it is no JSON. */
  readonly body: unknown;
}

/** No answer came, or none that can be read. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor(
    /** What failed, after `the provider`. */
    message: string,
    /** Whether the request certainly never got there. */
    readonly isUnsent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An answer of more than this is no answer. */
const MAX_BYTES = 1024 * 1024;

/** Failures after which certainly nothing was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Speaks JSON to a provider of the operator's, each request signed: HMAC-SHA256 over time, method, target and body, a line each. */
export class SignedJsonClient {
  readonly #agent = new Agent({ connections: 8, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  constructor(private readonly options: SignedJsonOptions) {}

  /** @throws NoAnswer */
  async ask(method: 'GET' | 'PUT' | 'DELETE', target: string, json?: object): Promise<JsonAnswer> {
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
      if (error instanceof NoAnswer) throw error;
      if (!signal.aborted && NOT_SENT.has(codeOf(error))) throw new NoAnswer('was not reached', true, { cause: error });
      const what = signal.aborted ? 'did not answer in time' : 'lost the connection';
      throw new NoAnswer(what, false, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

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
    if (bytes > MAX_BYTES) throw new NoAnswer('answered too much', false);
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
