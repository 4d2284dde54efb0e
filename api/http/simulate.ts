import type { Response } from 'express';
import { HatifError, invalidField, type ErrorCode } from '../../core/model/errors/index.js';
import { arabic } from '../../core/model/wording/wording.js';
import { applyAllowance } from './rate-headers.js';

export const SIMULATE_HEADER = 'X-Simulate';

/** Values of a simulated limit. */
const LIMIT = { limit: 5, window_seconds: 60, retry_after_seconds: 30 } as const;

/** What the headers say with it, in place of the key's real allowance. */
const USED_UP = {
  allowed: false,
  limit: LIMIT.limit,
  remaining: 0,
  resetSeconds: LIMIT.retry_after_seconds,
  windowSeconds: LIMIT.window_seconds,
} as const;

const FAILURES = {
  rate_limit: { code: 'RATE_LIMIT_EXCEEDED', make: () => new HatifError('RATE_LIMIT_EXCEEDED', LIMIT) },
  server_error: {
    code: 'SANDBOX_SIMULATED_SERVER_ERROR',
    make: () => new HatifError('SANDBOX_SIMULATED_SERVER_ERROR'),
  },
  invalid_queue: { code: 'SANDBOX_INVALID_QUEUE', make: () => new HatifError('SANDBOX_INVALID_QUEUE') },
  queue_unavailable: { code: 'SANDBOX_QUEUE_UNAVAILABLE', make: () => new HatifError('SANDBOX_QUEUE_UNAVAILABLE') },
  invalid_number: {
    code: 'INVALID_PHONE_NUMBER',
    make: () => new HatifError('INVALID_PHONE_NUMBER', { field: 'to' }),
  },
  credits: { code: 'INSUFFICIENT_CREDITS', make: () => new HatifError('INSUFFICIENT_CREDITS') },
  velocity: { code: 'CALL_VELOCITY_EXCEEDED', make: () => new HatifError('CALL_VELOCITY_EXCEEDED', LIMIT) },
} as const satisfies Record<string, { readonly code: ErrorCode; readonly make: () => Error }>;

/** A failure that a client can request with a sandbox key, to test how its application handles it. */
export type Simulation = keyof typeof FAILURES;

/** The error code of each simulation. */
export function codesOfSimulations(simulations: readonly Simulation[]): readonly ErrorCode[] {
  return simulations.map((simulation) => FAILURES[simulation].code);
}

/**
 * Fails as the header requests. Runs before the idempotency key is read, so that the same request without the header is
 * not a replay.
 * @param possible the simulations of the route; if empty, the header is ignored
 * @throws HatifError the requested failure, or VALIDATION_ERROR if the route does not have it
 */
export function simulate(res: Response, possible: readonly Simulation[], header: string | undefined): void {
  if (header === undefined || possible.length === 0) return;
  const wanted = possible.find((simulation) => simulation === header.trim());
  if (wanted === 'rate_limit') applyAllowance(res, 'key', USED_UP);
  if (wanted !== undefined) throw FAILURES[wanted].make();
  throw invalidField(SIMULATE_HEADER, {
    en: `must be one of ${possible.join(', ')} on this route`,
    ar: arabic`يجب أن يكون في مسار API هذا إحدى القيم: ${possible}`,
  });
}
