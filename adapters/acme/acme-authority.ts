import type * as AcmeClient from 'acme-client';
import { Agent, request } from 'undici';
import { errorCodeOf } from '../../core/model/error-code.js';
import {
  AuthorityError,
  type CertificateAuthority,
  type ChallengeAnswers,
  type IssuedCertificate,
} from '../../core/ports/certificate-authority.js';

export interface AcmeAuthorityOptions {
  readonly directoryUrl: string;
  /** For the authority's notices. */
  readonly email?: string;
  /** The account at the authority that pays or was approved (RFC 8555 §7.3.4). */
  readonly externalAccount?: { readonly keyId: string; readonly hmacKey: string };
  /** PEM: the authorities that its own HTTPS must come from. Default: those of Node.js. */
  readonly trusted?: string;
}

type Acme = typeof AcmeClient;
/** How axios, which acme-client uses, sends a request. */
type Send = Extract<Acme['axios']['defaults']['adapter'], (...args: never[]) => unknown>;

const REQUEST_MS = 30_000;
const MAX_BODY_CHARACTERS = 1024 * 1024;
/** How an order and its challenges are asked for until they are decided. */
const POLLING = { backoffAttempts: 30, backoffMin: 1_000, backoffMax: 10_000 };

/**
 * An authority by acme-client, with HTTP-01 challenges. The requests are sent here and not by axios, which would repeat
 * them, and wait as long as the authority asks for: pauses are the caller's business.
 */
export class AcmeAuthority implements CertificateAuthority {
  readonly #agent: Agent;
  readonly #closed = new AbortController();
  #retryAfterSeconds: number | null = null;

  constructor(private readonly options: AcmeAuthorityOptions) {
    const { trusted: ca } = options;
    this.#agent = new Agent({ connect: { timeout: REQUEST_MS, ...(ca !== undefined && { ca }) } });
  }

  async newAccountKey(): Promise<string> {
    const { crypto } = await loadAcme();
    return (await crypto.createPrivateEcdsaKey('P-256')).toString();
  }

  async issue(accountKey: string, names: readonly string[], answers: ChallengeAnswers): Promise<IssuedCertificate> {
    const { signal } = this.#closed;
    const closed = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new AuthorityError('the order was given up')), { once: true });
    });
    return Promise.race([this.#issue(accountKey, names, answers), closed]);
  }

  async #issue(accountKey: string, names: readonly string[], answers: ChallengeAnswers): Promise<IssuedCertificate> {
    const acme = await loadAcme();
    const { directoryUrl, email, externalAccount } = this.options;
    this.#retryAfterSeconds = null;
    acme.axios.defaults.adapter = this.#send;
    try {
      const [key, csr] = await acme.crypto.createCsr(
        { altNames: [...names] },
        await acme.crypto.createPrivateEcdsaKey('P-256'),
      );
      const client = new acme.Client({
        ...{ directoryUrl, accountKey, ...POLLING },
        ...(externalAccount && {
          externalAccountBinding: { kid: externalAccount.keyId, hmacKey: externalAccount.hmacKey },
        }),
      });
      const chain = await client.auto({
        csr,
        termsOfServiceAgreed: true,
        ...(email !== undefined && { email }),
        challengePriority: ['http-01'],
        // The public name often leads nowhere from inside a network; the authority finds out.
        skipChallengeVerification: true,
        challengeCreateFn: (_authorization, { type, token }, answer) =>
          type === 'http-01'
            ? answers.put(token, answer)
            : Promise.reject(new AuthorityError('the authority offers no HTTP-01 challenge')),
        challengeRemoveFn: (_authorization, { token }) => answers.remove(token),
      });
      return { chain, key: key.toString() };
    } catch (error) {
      if (error instanceof AuthorityError) throw error;
      throw new AuthorityError(readable(error), this.#retryAfterSeconds, { cause: error });
    }
  }

  /** An order that is under way fails at once. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#agent.destroy();
  }

  readonly #send: Send = async (config) => {
    const { url = '', method = 'get', headers } = config;
    const data: unknown = config.data;
    try {
      const response = await request(url, {
        method: method.toUpperCase() as 'GET' | 'HEAD' | 'POST',
        headers: headers.toJSON() as Record<string, string>,
        body: typeof data === 'string' ? data : null,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const { statusCode: status, headers: answered } = response;
      if (status === 429 || status === 503) this.#retryAfterSeconds = secondsOf(answered['retry-after']);
      const body = await textOf(response.body);
      return { data: body, status, statusText: '', headers: answered as Record<string, string>, config };
    } catch (error) {
      if (error instanceof AuthorityError) throw error;
      const { host } = new URL(url);
      throw new AuthorityError(`${host} cannot be reached (${codeOf(error)})`, null, { cause: error });
    }
  };
}

/** Only a process that orders a certificate loads it. */
async function loadAcme(): Promise<Acme> {
  return import('acme-client');
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BODY_CHARACTERS) throw new AuthorityError('the answer of the authority is too long');
  }
  return text + decoder.decode();
}

/** Of a header Retry-After (RFC 9110 §10.2.3): seconds, or a date. */
function secondsOf(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d+$/.test(header)) return Number(header);
  const seconds = Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return seconds > 0 ? seconds : null;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return errorCodeOf(error) ?? errorCodeOf(error.cause) ?? error.name;
}

/** The authority's words on one line. */
function readable(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}
