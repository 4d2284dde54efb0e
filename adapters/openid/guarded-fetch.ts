import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import { Agent, request, type Dispatcher } from 'undici';
import type { PostFailure } from '../../core/ports/outbound-http.js';
import { failureOf } from '../http/client.js';
import { guardedConnector, problemOfUrl, type GuardOptions } from '../http/guard.js';

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECTIONS_PER_ORIGIN = 8;
/** Statuses whose responses have no body (Fetch §2.2.3). */
const BODILESS = new Set([204, 205, 304]);

/** A request that got no response. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';

  constructor(
    readonly failure: PostFailure,
    options?: ErrorOptions,
  ) {
    super(`the request failed: ${failure}`, options);
  }
}

/**
 * What openid-client uses in place of `fetch`: each connection is guarded as those of webhooks are, redirects are not
 * followed, and a response has at most a megabyte.
 */
export class GuardedFetch {
  readonly #agent: Agent;

  constructor(private readonly options: GuardOptions) {
    this.#agent = new Agent({
      connect: guardedConnector(options, CONNECT_TIMEOUT_MS),
      connections: CONNECTIONS_PER_ORIGIN,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The signal of each request enforces the overall timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** @throws FetchFailed */
  readonly fetch: CustomFetch = async (url, options) => {
    const problem = problemOfUrl(url, this.options);
    if (problem !== null) throw new FetchFailed(problem);
    try {
      const { statusCode, headers, body } = await request(url, this.#sent(options));
      const bytes = await readAll(body);
      return new Response(BODILESS.has(statusCode) ? null : bytes, { status: statusCode, headers: single(headers) });
    } catch (error) {
      if (error instanceof FetchFailed) throw error;
      throw new FetchFailed(options.signal?.aborted === true ? 'timeout' : failureOf(error), { cause: error });
    }
  };

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #sent({ method, headers, body, signal }: CustomFetchOptions): Omit<Dispatcher.RequestOptions, 'path' | 'origin'> {
    return {
      method,
      headers,
      // A form is the only body that a client of a provider sends.
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      ...(signal !== undefined && { signal }),
      dispatcher: this.#agent,
    } as Omit<Dispatcher.RequestOptions, 'path' | 'origin'>;
  }
}

async function readAll(body: Dispatcher.ResponseData['body']): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new FetchFailed('bad_response');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function single(headers: Dispatcher.ResponseData['headers']): Headers {
  const made = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) made.append(name, each);
  }
  return made;
}
