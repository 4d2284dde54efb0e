const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after each failed attempt the next one is made; after the last of them the delivery is dead. */
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

/** An endpoint that never succeeded for so long is disabled. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR;

/** The longest that a receiver may put us off. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/** Receivers that came back together are not all called together. */
const JITTER = 0.1;

/**
 * When a delivery is tried again after its `attempts`-th failure, or null when it is given up.
 * A `Retry-After` puts the attempt off, never forward: else a receiver that always asks for one second uses up all attempts in ten.
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
  const asked = retryAfterMs(retryAfter, failedAt);
  return new Date(failedAt.getTime() + Math.round(Math.max(jittered, asked)));
}

/** `Retry-After` (RFC 9110 §10.2.3): seconds or an HTTP date; 0 when it is neither. */
function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER_MS);
}
