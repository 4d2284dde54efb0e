import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Pool, type Dispatcher } from 'undici';
import { EngineError, type EngineErrorKind } from '../../../core/ports/engine.js';

export interface AriHttpOptions {
  /** `http://host:port` of Asterisk's HTTP server. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly timeoutMs: number;
}

export interface AriCommand {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Not safe to retry: if the outcome is unknown, the error's kind is `indeterminate` instead of `timeout`. */
  readonly once?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Errors that occur before any byte of the request was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);

/** An ARI response outside 2xx, with its `status`, which ari-client's own errors lack. */
export class AriRefusal extends EngineError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(kindOfStatus(status), message);
  }
}

export function isGone(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 404;
}

/** The bridge commands answer 400 for a missing channel. */
export function missingChannel(error: unknown): unknown {
  if (error instanceof AriRefusal && error.status === 400) {
    return new EngineError('no_such_leg', error.message, { cause: error });
  }
  return error;
}

/**
 * Sends ARI commands over HTTP with keep-alive connections.
 *
 * Commands do not use ari-client: its errors carry no HTTP status, so that "gone" and "refused" look alike; it reads
 * credentials from a registry shared by all clients of the process; and it has no timeouts.
 */
export class AriHttp {
  readonly #pool: Pool;
  readonly #authorization: string;

  constructor(options: AriHttpOptions) {
    this.#authorization = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
    this.#pool = new Pool(options.url, {
      connections: 16,
      // Asterisk drops idle connections after 15 s by default. Dropping them earlier here avoids a race with a new command.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      connect: { timeout: options.timeoutMs },
    });
  }

  /**
   * Resolves with the parsed response, or undefined if it is empty.
   * @throws EngineError; an {@link AriRefusal} if Asterisk responded with an error
   */
  async send<Reply = unknown>(method: Method, path: string, command: AriCommand = {}): Promise<Reply> {
    const { status, text } = await this.#exchange(method, path, command).catch((error: unknown) => {
      throw lost(`${method} ${path}`, error, command.once ?? false);
    });
    if (status >= 300) throw new AriRefusal(status, `${method} ${path}: ${status} ${messageOf(text)}`);
    return (text === '' ? undefined : parsed(text)) as Reply;
  }

  /** Without a stream for each body, which would be half of a command's cost: the responses are short. */
  #exchange(method: Method, path: string, { query, body }: AriCommand): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let status = 0;
      this.#pool.dispatch(
        {
          method,
          path: `/ari${path}`,
          ...(query && { query }),
          headers: { authorization: this.#authorization, ...(body && { 'content-type': 'application/json' }) },
          body: body ? JSON.stringify(body) : null,
        },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, statusCode) => (status = statusCode),
          onResponseData: (_, chunk) => chunks.push(chunk),
          onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }

  /**
   * Writes the response body to the stream that `open` returns. `open` is called only for a 2xx response.
   * @throws like {@link send}; also if the body is cut off
   */
  async download(path: string, open: () => Writable): Promise<void> {
    let response: Dispatcher.ResponseData;
    try {
      response = await this.#pool.request({
        method: 'GET',
        path: `/ari${path}`,
        headers: { authorization: this.#authorization },
      });
    } catch (error) {
      throw lost(`GET ${path}`, error, false);
    }
    const { statusCode, body } = response;
    if (statusCode >= 300) {
      throw new AriRefusal(statusCode, `GET ${path}: ${statusCode} ${messageOf(await body.text())}`);
    }
    try {
      await pipeline(body, open());
    } catch (error) {
      throw lost(`GET ${path}`, error, false);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function kindOfStatus(status: number): EngineErrorKind {
  if (status === 404) return 'no_such_leg';
  if (status === 401 || status === 503) return 'unreachable';
  return 'rejected';
}

function lost(what: string, error: unknown, once: boolean): EngineError {
  const { code, message } = error as { code?: string; message?: string };
  const words = `${what}: ${message ?? String(error)}`;
  if (code !== undefined && NOT_SENT.has(code)) return new EngineError('unreachable', words, { cause: error });
  return new EngineError(once ? 'indeterminate' : 'timeout', words, { cause: error });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EngineError('rejected', 'The response is not JSON', { cause: error });
  }
}

/** ARI errors are `{"message": …}` or `{"error": …}`. */
function messageOf(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error ?? text;
  } catch {
    return text.slice(0, 200);
  }
}
