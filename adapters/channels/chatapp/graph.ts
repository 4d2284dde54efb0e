import { Agent, request, type FormData } from 'undici';
import { z } from 'zod';
import { ProviderRefusal, ProviderUnavailable } from '../../../core/ports/messaging/provider-errors.js';
import { NoResponseError, requestJson, type JsonAnswer } from '../../http/json-request.js';
import { isOfCredentials, verdictOf } from './codes.js';

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
const FILE_MS = 60_000;
const CONNECTIONS = 32;
/** Where Meta keeps files. */
const FILE_HOSTS = /(?:^|\.)(?:fbsbx\.com|facebook\.com|whatsapp\.net)$/;

const failure = z.object({
  error: z.object({
    message: z.string().default(''),
    code: z.number(),
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
    try {
      const answer = await requestJson(this.#agent, this.#base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
        ...(json && { body: JSON.stringify(json) }),
        timeoutMs: TIMEOUT_MS,
      });
      return answerOf(answer);
    } catch (error) {
      return { kind: error instanceof NoResponseError && error.isUnsent ? 'unsent' : 'unknown' };
    }
  }

  /** Uploads a file in a form. Never rejects; a repeat does no harm. */
  async upload(path: string, token: string, form: FormData): Promise<GraphAnswer> {
    try {
      const headers = { authorization: `Bearer ${token}` };
      return answerOf(
        await requestJson(this.#agent, this.#base + path, { method: 'POST', headers, body: form, timeoutMs: FILE_MS }),
      );
    } catch {
      return { kind: 'unsent' };
    }
  }

  /**
   * Downloads a file from an address that the provider named. The token goes to the provider's own hosts only.
   * @returns null if it is not there
   * @throws ProviderUnavailable
   */
  async download(url: string, token: string, mostBytes: number): Promise<Buffer | null> {
    if (!isOwnHost(url, this.#base)) throw new ProviderUnavailable('the provider named an address that is not its own');
    try {
      const signal = AbortSignal.timeout(FILE_MS);
      const headers = { authorization: `Bearer ${token}`, 'user-agent': 'Hatif' };
      const { statusCode, body } = await request(url, { dispatcher: this.#agent, headers, signal });
      body.on('error', () => undefined);
      if (statusCode === 404 || statusCode === 410) {
        body.destroy();
        return null;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (statusCode !== 200 || bytes > mostBytes) break;
        chunks.push(chunk);
      }
      body.destroy();
      if (statusCode === 200 && bytes <= mostBytes) return Buffer.concat(chunks);
    } catch (error) {
      throw new ProviderUnavailable('the provider did not send the file', { cause: error });
    }
    throw new ProviderUnavailable('the provider did not send the file');
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function isOwnHost(url: string, base: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  return origin === new URL(base).origin || (protocol === 'https:' && FILE_HOSTS.test(hostname));
}

/** What a request returned that the provider did. @throws ProviderRefusal, ProviderUnavailable */
export function bodyOf(answer: GraphAnswer): unknown {
  if (answer.kind === 'ok') return answer.body;
  if (answer.kind !== 'refused') throw new ProviderUnavailable('the provider did not answer');
  const { code, message } = answer;
  const verdict = verdictOf(code);
  if (verdict === 'slow_down' || verdict === 'away' || (verdict === 'provider_fault' && answer.status >= 500)) {
    throw new ProviderUnavailable(message);
  }
  throw new ProviderRefusal(message, String(code), isOfCredentials(code));
}

function answerOf({ status, body }: JsonAnswer): GraphAnswer {
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  const { data } = failure.safeParse(body);
  // A page of a proxy on the way says nothing about what the provider did.
  if (!data) return { kind: 'unknown' };
  const { message, code, error_user_msg, error_data } = data.error;
  return { kind: 'refused', status, code, message: error_user_msg ?? error_data?.details ?? message };
}
