import type { ChallengeObject } from '../../model/objects/verification.js';
import { projectEvent } from '../../data/outbox.js';
import type { ChallengeView } from '../../data/repositories/verification/challenges.js';
import type { ChallengeEnd, ChallengeRow, EventRow } from '../../data/rows.js';
import { Q850 } from '../../model/call/hangup-cause.js';
import { maskNumber } from '../../model/access/masking.js';
import { isoTime } from '../../model/time.js';

/** Q.850 causes of a hang-up by a person. */
const HUNG_UP: ReadonlySet<number | null> = new Set([Q850.NORMAL_CLEARING, Q850.NORMAL_UNSPECIFIED]);

/**
 * The end of a challenge that its call did not report. A callee who hung up before entering the number denied it. The
 * result depends on when the call ended, not on when this function runs; null while the challenge is open.
 */
export function endOf(row: ChallengeView, now: Date): ChallengeEnd | null {
  if (row.state !== 'pending') return row.state;
  const { call_status: status, call_ended_at: endedAt, call_answered_at: answeredAt, call_q850: q850 } = row;
  if (endedAt !== null && endedAt < row.expires_at) {
    if (answeredAt !== null) return HUNG_UP.has(q850) ? 'denied' : 'failed';
    return status === 'missed' || status === 'timeout' ? 'no_answer' : 'failed';
  }
  return now >= row.expires_at ? 'expired' : null;
}

export function presentChallenge(row: ChallengeView, now: Date): ChallengeObject {
  const end = endOf(row, now);
  const calling = row.call_status === 'ringing' || row.call_status === 'answered';
  return {
    ...commonFields(row),
    state: end ?? (calling ? 'calling' : 'pending'),
    match_number: end ? null : row.match_number,
  };
}

/** The `voice_auth.completed` event of a challenge that has ended. */
export function completedChallenge(row: ChallengeRow, now: Date): EventRow {
  const { organization_id, project_id, sandbox, state } = row;
  return projectEvent({
    organization_id,
    project_id,
    type: 'voice_auth.completed',
    data: { ...commonFields(row), state, match_number: null, sandbox, completed_at: isoTime(now) },
    sandbox,
    created_at: now,
  });
}

function commonFields({
  id,
  assurance,
  number,
  brand_id,
  expires_at,
  metadata,
}: ChallengeRow): Omit<ChallengeObject, 'state' | 'match_number'> {
  return {
    challenge_id: id,
    assurance,
    to_masked: maskNumber(number),
    brand_id,
    expires_at: isoTime(expires_at),
    metadata,
  };
}
