const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before the next attempt after each failed one; after the last of them the delivery is dead. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** An endpoint without a successful delivery for this long is disabled. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR;

/** The longest delay that a receiver may request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** Spreads retries, so that receivers that failed together are not all retried together. */
const JITTER = 0.1;

/**
 * The time of the next attempt after the `attempts`-th failure, or null if the delivery is given up. `Retry-After` can
 * only postpone an attempt: otherwise a receiver that always asks for one second would use up all attempts in ten.
 * @param random from 0 to 1.
 */
export function nextAttemptAt(
  attempts: number,
  failedAt: Date,
  retryAfter: string | null,
  random: number,
): Date | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + JITTER * random);
  const requested = retryAfterMs(retryAfter, failedAt);
  return new Date(failedAt.getTime() + Math.round(Math.max(jittered, requested)));
}

/** Parses `Retry-After` (RFC 9110 §10.2.3), which is seconds or an HTTP date; returns 0 if it is neither. */
function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS);
}
