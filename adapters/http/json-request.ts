import { request, type Dispatcher, type FormData } from 'undici';

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: none is sent. */
  readonly body?: string | FormData;
  /** Timeout of the whole request. */
  readonly timeoutMs: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Null if it is not JSON. */
  readonly body: unknown;
}

/** There was no response, or an unreadable one. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  constructor(
    /** What failed; completes a sentence that starts with `the provider`. */
    message: string,
    /** Whether the request certainly was never sent. */
    readonly isUnsent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The maximum size of a response. */
const MAX_BYTES = 1024 * 1024;

/** Errors that occur before anything was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Sends a request, and reads JSON.
 * @param url chosen by the operator, so its address is not guarded
 * @throws NoResponseError
 */
export async function requestJson(
  dispatcher: Dispatcher,
  url: string,
  { method, headers, body, timeoutMs }: JsonRequest,
): Promise<JsonAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await request(url, { method, headers, ...(body !== undefined && { body }), dispatcher, signal });
    return { status: response.statusCode, body: await readJson(response.body) };
  } catch (error) {
    if (error instanceof NoResponseError) throw error;
    if (!signal.aborted && NOT_SENT.has(codeOf(error)))
      throw new NoResponseError('is unreachable', true, { cause: error });
    const what = signal.aborted ? 'did not respond in time' : 'closed the connection';
    throw new NoResponseError(what, false, { cause: error });
  }
}

async function readJson(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new NoResponseError('sent a response that is too large', false);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return '';
}
