import type { ChallengeObject } from '../../model/objects/verification.js';
import { projectEvent } from '../../data/outbox.js';
import type { ChallengeView } from '../../data/repositories/verification/challenges.js';
import type { ChallengeEnd, ChallengeRow, EventRow } from '../../data/rows.js';
import { Q850 } from '../../model/call/hangup-cause.js';
import { maskNumber } from '../../model/access/masking.js';
import { isoTime } from '../../model/time.js';

/** Causes with which people hang up. */
const HUNG_UP: ReadonlySet<number | null> = new Set([Q850.NORMAL_CLEARING, Q850.NORMAL_UNSPECIFIED]);

/**
 * The end of a challenge that its call did not tell: whoever hung up before entering the number denied it. What ended in time ended so, however
 * late it is looked at; null while it goes on.
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
    ...shown(row),
    state: end ?? (calling ? 'calling' : 'pending'),
    match_number: end ? null : row.match_number,
  };
}

/** What is told of a challenge that is over. */
export function completedChallenge(row: ChallengeRow, now: Date): EventRow {
  const { organization_id, project_id, sandbox, state, call_id } = row;
  return projectEvent({
    organization_id,
    project_id,
    type: 'voice_auth.completed',
    data: { ...shown(row), state, match_number: null, call_id, completed_at: isoTime(now) },
    sandbox,
    created_at: now,
  });
}

function shown({
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
