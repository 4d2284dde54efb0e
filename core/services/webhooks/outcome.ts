import type { AttemptOutcome, ClaimedDelivery } from '../../data/repositories/webhooks/webhook-lanes.js';
import { newId } from '../../model/ids.js';
import type { PostResult } from '../../ports/outbound-http.js';
import { nextAttemptAt } from './retry.js';

const GONE = 410;

/** Whether the receiver accepted the message. */
export function isDelivered(result: PostResult): boolean {
  return result.kind === 'response' && result.status >= 200 && result.status < 300;
}

/** Why the receiver did not accept the message, as one word; null if it did. */
export function errorOf(result: PostResult): string | null {
  if (result.kind === 'failure') return result.failure;
  if (isDelivered(result)) return null;
  return result.status >= 300 && result.status < 400 ? 'redirect_refused' : `http_${result.status}`;
}

/** The consequence of an attempt's result for its delivery. @param random from 0 to 1, for the jitter. */
export function outcomeOf(delivery: ClaimedDelivery, result: PostResult, at: Date, random: number): AttemptOutcome {
  const status = result.kind === 'response' ? result.status : null;
  const attempt = {
    ...newAttempt(delivery, at),
    status_code: status,
    error: errorOf(result),
    duration_ms: result.durationMs,
    gone: status === GONE,
  };
  if (isDelivered(result)) return { ...attempt, status: 'delivered', next_attempt_at: null };
  const retryAfter = result.kind === 'response' ? result.retryAfter : null;
  const failedAt = new Date(at.getTime() + result.durationMs);
  const next = attempt.gone ? null : nextAttemptAt(attempt.attempts, failedAt, retryAfter, random);
  return { ...attempt, status: next === null ? 'dead' : 'pending', next_attempt_at: next };
}

/** The attempt failed before anything was sent; it is retried like any other. */
export function failedToSend(delivery: ClaimedDelivery, at: Date, random: number): AttemptOutcome {
  const attempt = { ...newAttempt(delivery, at), status_code: null, error: 'not_sent', duration_ms: 0, gone: false };
  const next = nextAttemptAt(attempt.attempts, at, null, random);
  return { ...attempt, status: next === null ? 'dead' : 'pending', next_attempt_at: next };
}

/**
 * Nothing was sent, because the worker stops or the claim is about to expire: another worker can claim the delivery at
 * once.
 */
export function released(delivery: ClaimedDelivery, at: Date): AttemptOutcome {
  return { ...notSent(delivery, at), status: 'pending', error: null };
}

/** Nothing is sent to an endpoint that has been disabled since. */
export function undeliverable(delivery: ClaimedDelivery, at: Date): AttemptOutcome {
  return { ...notSent(delivery, at), status: 'dead', error: 'endpoint_disabled' };
}

function notSent(delivery: ClaimedDelivery, at: Date) {
  return {
    ...newAttempt(delivery, at),
    attempts: delivery.attempts,
    attempt_id: null,
    next_attempt_at: null,
    status_code: null,
    duration_ms: 0,
    gone: false,
  };
}

function newAttempt(delivery: ClaimedDelivery, at: Date) {
  return {
    id: delivery.id,
    locked_until: delivery.locked_until,
    attempts: delivery.attempts + 1,
    attempt_id: newId(),
    at,
  };
}
