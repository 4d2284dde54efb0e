import type { VerificationObject, VerificationState } from '../../model/objects/verification.js';
import { projectEvent } from '../../data/outbox.js';
import type { VerificationView } from '../../data/repositories/verification/verifications.js';
import type { CodeState, EventRow } from '../../data/rows.js';
import { maskEmail, maskNumber } from '../../model/access/masking.js';
import { isoTime } from '../../model/time.js';

const STATES: Readonly<Record<CodeState, VerificationState>> = {
  pending: 'pending',
  used: 'verified',
  spent: 'failed',
  expired: 'expired',
  revoked: 'blocked',
};

/** A verification past its expiry time is `expired`, even before the sweep has closed it. */
export function stateOf(
  { state, expires_at }: Pick<VerificationView, 'state' | 'expires_at'>,
  now: Date,
): VerificationState {
  return state === 'pending' && expires_at <= now ? 'expired' : STATES[state];
}

export function presentVerification(row: VerificationView, now: Date): VerificationObject {
  const { id, channel, recipient, expires_at, attempts, max_attempts } = row;
  return {
    verification_id: id,
    state: stateOf(row, now),
    channel,
    to_masked: channel === 'email' ? maskEmail(recipient) : maskNumber(recipient),
    expires_at: isoTime(expires_at),
    attempts_left: max_attempts - attempts,
  };
}

/** The `verify.completed` event of a closed verification. */
export function completedEvent(row: VerificationView, now: Date): EventRow {
  const { organization_id, project_id, sandbox } = row;
  return projectEvent({
    organization_id,
    project_id,
    type: 'verify.completed',
    data: { ...presentVerification(row, now), sandbox, completed_at: isoTime(now) },
    sandbox,
    created_at: now,
  });
}
