import { Agent, fetch, type RequestInit, type Response } from 'undici';

import type { Fetch } from '../common/api-client.js';
import { CliError, EXIT } from '../common/failure.js';

/** Issuing the invoices of a month, or checking a long audit log, takes its time before the first byte of the answer. */
const PATIENCE_MS = 60 * 60_000;
const CONNECT_MS = 10_000;

const HOW_TO_TRUST = '--ca names the file of the authority that signed it.';

/** Sends requests to one installation. */
export class Transport {
  readonly #agent: Agent;

  /** @param ca certificates of the authorities that are trusted; null: those of Node.js */
  constructor(
    readonly origin: string,
    ca: string | null,
  ) {
    this.#agent = new Agent({
      headersTimeout: PATIENCE_MS,
      bodyTimeout: PATIENCE_MS,
      connect: { timeout: CONNECT_MS, ...(ca !== null && { ca }) },
    });
  }

  /** For the client of keys, which reports errors itself. */
  readonly fetch: Fetch = (url, init) => fetch(url, { ...init, dispatcher: this.#agent });

  /**
   * @param path with its query
   * @throws CliError if the installation is not reached, or the connection breaks
   */
  async send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, this.origin), { ...init, redirect: 'manual', dispatcher: this.#agent });
    } catch (error) {
      throw this.failure(error, init.method ?? 'GET');
    }
  }

  /** The error that a person sees when a connection failed. */
  failure(error: unknown, method: string): CliError {
    const { code, message } = causeOf(error);
    if (code !== null && /CERT|SIGNATURE/.test(code)) {
      return new CliError(
        `The certificate of ${this.origin} is not trusted: ${message}.`,
        EXIT.unreachable,
        HOW_TO_TRUST,
      );
    }
    const problem = `${this.origin} does not answer: ${message}.`;
    if (method === 'GET' || (code !== null && NOT_CONNECTED.includes(code))) {
      return new CliError(problem, EXIT.unreachable);
    }
    return new CliError(
      problem,
      EXIT.unreachable,
      'Whether it did what it was asked for is unknown: look before you repeat it.',
    );
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Nothing was sent. */
const NOT_CONNECTED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
];

/** The innermost error with a code, or the error itself. */
function causeOf(error: unknown): { readonly code: string | null; readonly message: string } {
  let found: { code: string | null; message: string } = { code: null, message: String(error) };
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const [first] = each instanceof AggregateError ? (each.errors as unknown[]) : [];
    if (first instanceof Error) return causeOf(first);
    const code = 'code' in each && typeof each.code === 'string' ? each.code : null;
    found = { code, message: each.message === '' ? (code ?? each.name) : each.message };
  }
  return found;
}
