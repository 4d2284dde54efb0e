import { setTimeout as pause } from 'node:timers/promises';
import { ACCEPTED, type KillSwitch } from '../kill-points.js';

export interface Reply {
  readonly status: number;
  readonly code: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const REQUEST_LIMIT_MS = 12_000;
/** The idempotency key of a request whose process died stays locked for two minutes. */
const TOTAL_LIMIT_MS = 150_000;
const RETRY_PAUSE_MS = 200;

/** Errors after which a client tries again later. */
const RETRYABLE_CODES = new Set([
  'IDEMPOTENCY_KEY_CONFLICT',
  'CALL_NOT_CONTROLLABLE',
  'CALL_FAILED',
  'RATE_LIMIT_EXCEEDED',
]);

/**
 * An API client as an application would implement it: it repeats a request with the same idempotency key until it gets
 * a final answer, and uses the processes in turn.
 */
export class Client {
  /** The number of repeated requests. */
  repeats = 0;
  /** The longest time until a final answer. */
  longestWaitMs = 0;
  #nextUrl = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly key: string,
    private readonly killSwitch: KillSwitch,
  ) {}

  /**
   * Repeats the request until it gets a final answer. `retryableCodes`: further codes after which to try again;
   * `isNeeded`: stops the repetition when it returns false, with the code `OVER`.
   * @throws if there was no final answer in time
   */
  async requestUntilFinal(
    method: string,
    path: string,
    options: {
      readonly json?: object;
      readonly key?: string;
      readonly retryableCodes?: readonly string[];
      readonly isNeeded?: () => boolean;
    },
  ): Promise<Reply> {
    const requestedAt = Date.now();
    for (;;) {
      const reply = await this.requestOnce(method, path, options).catch((error: unknown) => String(error));
      if (typeof reply !== 'string' && !isRetryable(reply, options.retryableCodes)) {
        this.longestWaitMs = Math.max(this.longestWaitMs, Date.now() - requestedAt);
        return reply;
      }
      if (options.isNeeded?.() === false) return { status: 0, code: 'OVER', body: {} };
      if (Date.now() - requestedAt > TOTAL_LIMIT_MS) {
        const last = typeof reply === 'string' ? reply : `${reply.status} ${reply.code}`;
        throw new Error(`${method} ${path}: no answer in time, the last was ${last}`);
      }
      this.repeats += 1;
      await pause(RETRY_PAUSE_MS);
    }
  }

  /** Sends the request once and returns any answer. */
  async requestOnce(
    method: string,
    path: string,
    { json, key }: { readonly json?: object; readonly key?: string } = {},
  ): Promise<Reply> {
    const response = await fetch(`${this.urls[this.#nextUrl++ % this.urls.length] ?? ''}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(json && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(json && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (response.status === 202) this.killSwitch.observe('outside', 'noticed', ACCEPTED);
    const body = (await response.json()) as Record<string, unknown>;
    const code = typeof body.error_code === 'string' ? body.error_code : '';
    return { status: response.status, code, body };
  }
}

function isRetryable({ status, code }: Reply, retryableCodes: readonly string[] = []): boolean {
  return status >= 500 || RETRYABLE_CODES.has(code) || retryableCodes.includes(code);
}
