import { LRUCache } from 'lru-cache';
import { Agent, errors } from 'undici';
import type { Dispatcher } from 'undici';
import type {
  OutboundHttp,
  OutboundPost,
  PostFailure,
  PostResult,
  UrlProblem,
} from '../../core/ports/outbound-http.js';
import { guardedConnector, problemOfUrl } from './guard.js';
import type { GuardOptions } from './guard.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Connections per receiver; further requests are queued. */
const CONNECTIONS_PER_ORIGIN = 32;

/** Where requests to a URL are sent, or why none is. */
type Target = { readonly origin: string; readonly path: string } | { readonly problem: UrlProblem };

function targetOf(url: string, problem: UrlProblem | null): Target {
  if (problem !== null) return { problem };
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

type Without<Members, Name extends string> = Members extends unknown ? Omit<Members, Name> : never;
/** A result whose duration is added. */
type Result = Without<PostResult, 'durationMs'>;

/** A guarded client on undici: connections are reused, and the guard checks each new connection. */
export class GuardedHttpClient implements OutboundHttp {
  readonly #agent: Agent;
  /** Cached: the result for a URL never changes, and most requests go to few URLs. */
  readonly #targets = new LRUCache<string, Target>({ max: 1000 });

  constructor(private readonly options: GuardOptions) {
    this.#agent = new Agent({
      connect: guardedConnector(options, 10_000),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A timer of each request enforces the overall timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  problemOf(url: string): UrlProblem | null {
    const target = this.#targetOf(url);
    return 'problem' in target ? target.problem : null;
  }

  #targetOf(url: string): Target {
    const known = this.#targets.get(url);
    if (known) return known;
    const target = targetOf(url, problemOfUrl(url, this.options));
    this.#targets.set(url, target);
    return target;
  }

  /** Without a stream for each body, which would be half of the cost: most responses are short, and few are read. */
  post({ url, headers, body, timeoutMs, readBody }: OutboundPost): Promise<PostResult> {
    const startedAt = performance.now();
    const target = this.#targetOf(url);
    if ('problem' in target) return Promise.resolve({ kind: 'failure', failure: target.problem, durationMs: 0 });
    return new Promise((resolve) => {
      const response = { status: 0, retryAfter: null as string | null, bytes: 0, chunks: [] as Buffer[] };
      let controller: Dispatcher.DispatchController | undefined;
      let isOver = false;
      const finish = (result: Result): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        resolve({ ...result, durationMs: Math.round(performance.now() - startedAt) });
      };
      const responded = (): void => {
        const { status, retryAfter, chunks } = response;
        const text = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
        finish({ kind: 'response', status, retryAfter, body: text });
      };
      const timer = setTimeout(() => {
        finish({ kind: 'failure', failure: 'timeout' });
        controller?.abort(new Error('timeout'));
      }, timeoutMs);
      this.#agent.dispatch(
        { ...target, method: 'POST', headers, body },
        {
          onRequestStart(started) {
            controller = started;
            if (isOver) started.abort(new Error('timeout'));
          },
          onResponseStart(_, status, received) {
            const { 'retry-after': retryAfter } = received;
            response.status = status;
            response.retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
          },
          onResponseData(started, chunk) {
            response.bytes += chunk.length;
            if (readBody) response.chunks.push(chunk);
            if (response.bytes < MAX_BODY_BYTES) return;
            responded();
            // A longer response costs its connection.
            started.abort(new Error('the response is too long'));
          },
          onResponseEnd: responded,
          onResponseError: (_, error) => finish({ kind: 'failure', failure: failureOf(error) }),
        },
      );
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

const FAILURES: Readonly<Record<string, PostFailure>> = {
  HATIF_FORBIDDEN_ADDRESS: 'forbidden_address',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ETIMEDOUT: 'timeout',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
};

/** Why a request got no response. */
export function failureOf(error: unknown): PostFailure {
  const code = codeOf(error);
  const known = FAILURES[code];
  if (known) return known;
  if (error instanceof errors.HTTPParserError) return 'bad_response';
  // What OpenSSL reports when the answer to its first message is not TLS.
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE|EPROTO/.test(code)) return 'no_tls';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/.test(code)) return 'tls_error';
  return 'connection_lost';
}

/** Returns the code of an error, or of the first of several connection attempts (happy eyeballs). */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return '';
}
