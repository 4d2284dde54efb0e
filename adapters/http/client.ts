import { LRUCache } from 'lru-cache';
import { Agent, errors, request } from 'undici';
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

/** A guarded client on undici: connections are reused, and the guard checks each new connection. */
export class GuardedHttpClient implements OutboundHttp {
  readonly #agent: Agent;
  /** Cached checks: the result for a URL never changes, and most requests go to few URLs. */
  readonly #problems = new LRUCache<string, UrlProblem | 'none'>({ max: 1000 });

  constructor(private readonly options: GuardOptions) {
    this.#agent = new Agent({
      connect: guardedConnector(options, 10_000),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The abort signal of each request enforces the overall timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  problemOf(url: string): UrlProblem | null {
    const known = this.#problems.get(url);
    if (known !== undefined) return known === 'none' ? null : known;
    const problem = problemOfUrl(url, this.options);
    this.#problems.set(url, problem ?? 'none');
    return problem;
  }

  async post(wanted: OutboundPost): Promise<PostResult> {
    const startedAt = performance.now();
    const passed = (): number => Math.round(performance.now() - startedAt);
    const problem = this.problemOf(wanted.url);
    if (problem) return { kind: 'failure', failure: problem, durationMs: 0 };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), wanted.timeoutMs);
    try {
      const response = await request(wanted.url, {
        method: 'POST',
        headers: wanted.headers,
        body: wanted.body,
        dispatcher: this.#agent,
        signal: limit.signal,
      });
      const body = await readBody(response.body, wanted.readBody, limit.signal);
      const retryAfter = response.headers['retry-after'];
      return {
        kind: 'response',
        status: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        body,
        durationMs: passed(),
      };
    } catch (error) {
      const failure = limit.signal.aborted ? 'timeout' : failureOf(error);
      return { kind: 'failure', failure, durationMs: passed() };
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Reads the body up to the limit if it is wanted. A longer response costs its connection. */
async function readBody(body: Dispatcher.ResponseData['body'], wanted: boolean, signal: AbortSignal): Promise<string> {
  if (!wanted) {
    await body.dump({ limit: MAX_BODY_BYTES, signal });
    return '';
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
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
