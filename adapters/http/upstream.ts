import { Agent, request } from 'undici';
import type { Dispatcher, FormData } from 'undici';

export interface UpstreamOptions {
  /** In the form of its client libraries, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token; absent for a private server that requires none. */
  readonly apiKey?: string | undefined;
  /** Timeout of everything: connection, request, response and its body. */
  readonly timeoutMs: number;
  /** Maximum response size. */
  readonly maxBytes: number;
}

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  constructor(
    message: string,
    /** The response status; null if there was no response. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The server rejected the request itself: the server is healthy, and a retry is useless. */
  get isRefusal(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 415 || this.status === 422;
  }
}

const CONNECTIONS = 8;
/** How much of an error's body to include: enough to see the problem. */
const MAX_ERROR_LENGTH = 300;

/** An HTTP server that the operator configured, so its address is not guarded and may be on this machine. */
export class Upstream {
  readonly #agent: Agent;
  readonly #base: string;

  constructor(private readonly options: UpstreamOptions) {
    this.#base = options.baseUrl.replace(/\/+$/, '');
    this.#agent = new Agent({ connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** @returns the body of a 200. @throws UpstreamError */
  async post(path: string, headers: Readonly<Record<string, string>>, body: string | FormData): Promise<Uint8Array> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.options.timeoutMs);
    try {
      const { apiKey } = this.options;
      const response = await request(this.#base + path, {
        method: 'POST',
        headers: { ...headers, ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
        body,
        dispatcher: this.#agent,
        signal: limit.signal,
      });
      return await this.#read(response);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      const why = limit.signal.aborted ? `no response within ${this.options.timeoutMs} ms` : 'the connection failed';
      throw new UpstreamError(`${this.#base}: ${why}`, null, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #read({ statusCode, body }: Dispatcher.ResponseData): Promise<Uint8Array> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > this.options.maxBytes)
        throw new UpstreamError(`${this.#base}: the response is too large`, statusCode);
      chunks.push(chunk);
    }
    const whole = Buffer.concat(chunks);
    if (statusCode === 200) return whole;
    const errorOutput = whole.toString('utf8').slice(0, MAX_ERROR_LENGTH);
    throw new UpstreamError(`${this.#base} answered ${statusCode}: ${errorOutput}`, statusCode);
  }
}
