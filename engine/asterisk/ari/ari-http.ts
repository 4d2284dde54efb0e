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
  /** Must not be repeated: when its outcome is unknown the error's kind is `indeterminate`, not `timeout`. */
  readonly once?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Failures that come before a byte of the request was sent. */
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

/** An ARI answer outside 2xx. `status` is what ari-client's own errors do not tell. */
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

/** The bridge commands answer 400 for a channel that is not there. */
export function missingChannel(error: unknown): unknown {
  if (error instanceof AriRefusal && error.status === 400) {
    return new EngineError('no_such_leg', error.message, { cause: error });
  }
  return error;
}

/**
 * ARI commands over HTTP with kept-alive connections.
 *
 * Commands do not go through ari-client: its errors carry no HTTP status, so "gone" could not be told from "refused",
 * it reads its credentials from a registry shared by all clients of a process, and it has no timeouts.
 */
export class AriHttp {
  readonly #pool: Pool;
  readonly #authorization: string;

  constructor(options: AriHttpOptions) {
    this.#authorization = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
    this.#pool = new Pool(options.url, {
      connections: 16,
      // Asterisk drops an idle connection after 15 s by default; ours go first, so that no command meets a closing one.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      connect: { timeout: options.timeoutMs },
    });
  }

  /**
   * Resolves with the parsed answer (undefined where there is none).
   * @throws EngineError; an {@link AriRefusal} where Asterisk answered.
   */
  async send<Reply = unknown>(method: Method, path: string, command: AriCommand = {}): Promise<Reply> {
    let status: number;
    let text: string;
    try {
      const response = await this.#pool.request({
        method,
        path: `/ari${path}`,
        ...(command.query && { query: command.query }),
        headers: {
          authorization: this.#authorization,
          ...(command.body && { 'content-type': 'application/json' }),
        },
        body: command.body ? JSON.stringify(command.body) : null,
      });
      status = response.statusCode;
      text = await response.body.text();
    } catch (error) {
      throw lost(`${method} ${path}`, error, command.once ?? false);
    }
    if (status >= 300) throw new AriRefusal(status, `${method} ${path}: ${status} ${messageOf(text)}`);
    return (text === '' ? undefined : parsed(text)) as Reply;
  }

  /**
   * Write the body of an answer into what `open` gives, which is opened only for a 2xx.
   * @throws as {@link send}; also when the body breaks off.
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
    throw new EngineError('rejected', 'The answer is not JSON', { cause: error });
  }
}

/** ARI says `{"message": …}` or `{"error": …}`. */
function messageOf(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error ?? text;
  } catch {
    return text.slice(0, 200);
  }
}
