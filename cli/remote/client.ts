import { setTimeout as pause } from 'node:timers/promises';
import type { Response } from 'undici';

import { DatabaseUnavailable } from '../../core/data/errors.js';
import { ApiRefusal, CliError, EXIT, type Hint } from '../common/failure.js';
import type { Transport } from './transport.js';

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

const isPage = ({ data }: { readonly data: unknown }): boolean => Array.isArray(data);

interface Envelope {
  readonly error_code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/** The most that the API returns in a page. */
const PAGE = 100;
/** How long refusals by a rate limit are waited for, together. */
const LONGEST_WAIT_SECONDS = 120;

/** What a header can hold. */
const TOKEN = /^[\x21-\x7e]+$/;
const API_KEY = 'sk_';

export const HOW_TO_GET_A_TOKEN: Hint = ({ hatif }) =>
  `A token is made on the machine of the installation: ${hatif('admin token create --email <address> --name <name>')}`;
const IS_IT_HATIF = 'Is it the address of an installation of Hatif?';

/** Calls the routes of administrators of another installation. */
export class AdminClient {
  #waited = 0;

  /** @throws CliError for a text that is no token */
  constructor(
    private readonly transport: Transport,
    private readonly token: string,
  ) {
    if (TOKEN.test(token) && !token.startsWith(API_KEY)) return;
    const problem = token.startsWith(API_KEY) ? 'holds an API key; keys do not administer' : 'is not a token';
    throw new CliError(`HATIF_ADMIN_TOKEN ${problem}.`, EXIT.usage, HOW_TO_GET_A_TOKEN);
  }

  /** @param path below `/v1/admin` */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#json(await this.#ask('GET', path, query), 'GET')) as T;
  }

  /** Sends a change. @returns the answer; undefined if it is empty */
  async send<T = undefined>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object = {}): Promise<T> {
    return (await this.#json(await this.#ask(method, path, {}, body), method)) as T;
  }

  /** Every entry of a list. */
  all<T>(path: string, query: Query = {}): Promise<T[]> {
    return this.upTo(path, Infinity, query);
  }

  /** The first entries of a list. */
  async upTo<T>(path: string, most: number, query: Query = {}): Promise<T[]> {
    const entries: T[] = [];
    let cursor: string | null = null;
    do {
      const limit = Math.min(PAGE, most - entries.length);
      const page: Page<T> = await this.get<Page<T>>(path, { ...query, limit, cursor });
      if (!isPage(page)) throw this.#stranger('returned something else than a list');
      entries.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && entries.length < most);
    return entries;
  }

  async bytes(path: string): Promise<Buffer> {
    const response = await this.#ask('GET', path, {});
    try {
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      throw this.transport.failure(error, 'GET');
    }
  }

  /** The text of an answer, in pieces that end with a line. */
  async *lines(path: string, query: Query): AsyncGenerator<string> {
    const response = await this.#ask('GET', path, query);
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of response.body ?? []) {
        rest += decoder.decode(bytes as Uint8Array, { stream: true });
        const end = rest.lastIndexOf('\n') + 1;
        if (end > 0) yield rest.slice(0, end);
        rest = rest.slice(end);
      }
    } catch (error) {
      throw this.transport.failure(error, 'GET');
    }
    if (rest !== '') yield rest;
  }

  async #ask(method: string, path: string, query: Query, body?: object): Promise<Response> {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const search = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const target = `/v1/admin${path}${search === '' ? '' : `?${search}`}`;
    for (;;) {
      const response = await this.transport.send(target, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          accept: '*/*',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
      // A limit refuses a request before anything else happens to it.
      if (response.status !== 429 || !(await this.#wait(response))) {
        throw await this.#refusal(response, `${method} /v1/admin${path}`);
      }
    }
  }

  /** @returns undefined for an empty answer */
  async #json(response: Response, method: string): Promise<unknown> {
    const text = await response.text().catch((error: unknown) => {
      throw this.transport.failure(error, method);
    });
    try {
      return text === '' ? undefined : (JSON.parse(text) as unknown);
    } catch {
      throw this.#stranger('returned something else than JSON');
    }
  }

  #stranger(problem: string): CliError {
    return new CliError(`${this.transport.origin} ${problem}.`, EXIT.failed, IS_IT_HATIF);
  }

  /** @returns whether to try again */
  async #wait(response: Response): Promise<boolean> {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (!(seconds > 0) || this.#waited + seconds > LONGEST_WAIT_SECONDS) return false;
    await response.body?.cancel();
    this.#waited += seconds;
    await pause(seconds * 1000);
    return true;
  }

  async #refusal(response: Response, request: string): Promise<Error> {
    const { origin } = this.transport;
    const { status } = response;
    if (status >= 300 && status < 400) {
      const to = response.headers.get('location') ?? 'another address';
      await response.body?.cancel();
      return new CliError(`${origin} redirects to ${to}.`, EXIT.failed, 'Give the address of the installation itself.');
    }
    const { error_code: code, message, details } = await envelopeIn(response);
    if (typeof code !== 'string' || typeof message !== 'string') {
      return new CliError(
        `${origin} returned status ${status} without an error code.`,
        status >= 500 ? EXIT.unreachable : EXIT.failed,
        IS_IT_HATIF,
      );
    }
    if (REFUSED_TOKEN.includes(code)) {
      const why = code === 'ADMIN_UNAUTHORIZED' && Array.isArray(details) ? ` ${reasonIn(details)}` : '';
      return new CliError(
        `${origin} refuses the token of HATIF_ADMIN_TOKEN: ${message}${why}`,
        EXIT.failed,
        HOW_TO_GET_A_TOKEN,
      );
    }
    if (code === 'INTERNAL_ERROR' && status === 503) return new DatabaseUnavailable(message);
    if (code === 'NOT_FOUND' && message.includes(request)) {
      return new CliError(
        `${origin} has no route for this command: ${request}.`,
        EXIT.failed,
        'The installation is older or newer than this command: use the command of its version.',
      );
    }
    return new ApiRefusal(code, message);
  }
}

/** Codes of a request without a token that works. No service of a command refuses with them. */
const REFUSED_TOKEN = ['ADMIN_UNAUTHORIZED', 'INVALID_API_KEY'];

/** One segment of a path. @throws CliError for a text that no address can hold */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new CliError(`There is nothing named "${text}".`);
  }
  return encodeURIComponent(text);
}

async function envelopeIn(response: Response): Promise<Envelope> {
  try {
    const value: unknown = JSON.parse(await response.text());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function reasonIn(details: readonly unknown[]): string {
  const [first] = details as readonly { readonly message?: unknown }[];
  return typeof first?.message === 'string' ? `(${first.message})` : '';
}
