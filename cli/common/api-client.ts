import { parseKey, type KeyKind } from '../../core/model/access/keys.js';
import { CliError, EXIT, IS_IT_RUNNING, adviceFor } from './failure.js';

export type Json = Readonly<Record<string, unknown>>;

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface StreamOptions {
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
}

const HOW_TO_TRUST = 'NODE_EXTRA_CA_CERTS, or --ca with --url, names the file of the authority that signed it.';

interface FetchOptions extends Request {
  readonly method: string;
  readonly redirect: 'error';
}

type Answer = Pick<Response, 'ok' | 'status' | 'body' | 'text'>;

/** How requests are sent: the global `fetch`, or one that trusts other authorities. */
export type Fetch = (url: URL, init: FetchOptions) => Promise<Answer>;

/** Calls the HTTP API like any other client. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    private readonly key: string,
    private readonly fetch: Fetch = (url, init) => globalThis.fetch(url, init),
  ) {}

  /** The kind of the key; null for a text that is no key. */
  get keyKind(): KeyKind | null {
    return parseKey(this.key)?.kind ?? null;
  }

  get(path: string): Promise<Json> {
    return this.#json('GET', path);
  }

  post(path: string, body: Json): Promise<Json> {
    return this.#json('POST', path, body);
  }

  put(path: string, body: Json): Promise<Json> {
    return this.#json('PUT', path, body);
  }

  /** Opens a stream of server-sent events (WHATWG HTML §9.2). */
  async stream(path: string, { lastEventId, signal }: StreamOptions): Promise<ReadableStream<Uint8Array>> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId !== null) headers['last-event-id'] = lastEventId;
    const response = await this.#send('GET', path, { headers, signal });
    if (!response.ok) throw refusal(response.status, await bodyOf(response));
    if (!response.body) throw new CliError('The API’s response has no stream.');
    return response.body;
  }

  async #json(method: string, path: string, body?: Json): Promise<Json> {
    const response = await this.#send(method, path, {
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await bodyOf(response);
    if (!response.ok) throw refusal(response.status, answer);
    return answer;
  }

  async #send(method: string, path: string, init: Request): Promise<Answer> {
    const headers = { ...init.headers, authorization: `Bearer ${this.key}` };
    try {
      return await this.fetch(new URL(path, this.baseUrl), { ...init, method, headers, redirect: 'error' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      const fault = certificateFault(error);
      if (fault === null) {
        throw new CliError(`The API at ${this.baseUrl} does not answer.`, EXIT.unreachable, IS_IT_RUNNING);
      }
      throw new CliError(
        `The certificate of ${this.baseUrl} is not trusted: ${fault}.`,
        EXIT.unreachable,
        HOW_TO_TRUST,
      );
    }
  }
}

/** Why the certificate of the server is refused; null if the error has another cause. */
function certificateFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, message } = (error.cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return code !== undefined && /CERT|SIGNATURE/.test(code) ? (message ?? code) : null;
}

async function bodyOf(response: Answer): Promise<Json> {
  const text = await response.text();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // Not a response of the API, perhaps a proxy's page: only the status is reported.
  }
  return {};
}

/** Turns the error envelope into an error message. */
function refusal(status: number, body: Json): CliError {
  const { error_code: code, message, request_id: requestId } = body;
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new CliError(`The API returned status ${status} without an error code.`);
  }
  // The message of a validation error names the first field.
  const more = detailsOf(body).slice(code === 'VALIDATION_ERROR' ? 1 : 0);
  const trace = typeof requestId === 'string' ? ` [${code}, request ${requestId}]` : ` [${code}]`;
  const lines = [`${message}${trace}`, ...more.map(({ path, message: problem }) => `  ${path}: ${problem}`)];
  return new CliError(lines.join('\n'), EXIT.failed, adviceFor(code));
}

/** What is wrong in detail, such as the invalid fields. */
function detailsOf({ details }: Json): readonly { readonly path: string; readonly message: string }[] {
  if (!Array.isArray(details)) return [];
  return (details as readonly Json[]).map(({ path, message }) => ({ path: String(path), message: String(message) }));
}
