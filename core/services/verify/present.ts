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
  const { id, expires_at, attempts, max_attempts, send_attempts: sends } = row;
  const state = stateOf(row, now);
  const last = sends.at(-1) ?? null;
  const { channel, recipient } = last ?? row;
  return {
    verification_id: id,
    state,
    channel,
    to_masked: masked(recipient),
    expires_at: isoTime(expires_at),
    attempts_left: max_attempts - attempts,
    send_attempts: sends.map((sending) => ({
      channel: sending.channel,
      to_masked: masked(sending.recipient),
      // The right code was entered, so the last one has arrived, whatever its call does.
      state: sending === last && state === 'verified' && sending.state === 'sending' ? 'sent' : sending.state,
      reason: sending.reason,
      at: isoTime(new Date(sending.at)),
    })),
    failure_reason: last?.reason ?? null,
  };
}

function masked(recipient: string): string {
  return recipient.includes('@') ? maskEmail(recipient) : maskNumber(recipient);
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
