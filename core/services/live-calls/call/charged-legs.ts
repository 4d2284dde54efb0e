import type { LegRow } from '../../../data/rows.js';
import type { CallLegs, UnansweredLeg } from '../../billing/credit.js';
import type { CallState } from '../../call-state/call-state.js';

/** Returns the call's legs that are charged, or will be once they are answered. */
export function chargedLegs({ row, legs }: Pick<CallState, 'row' | 'legs'>): CallLegs {
  const billable = legs.filter((leg) => leg.billable);
  // A leg to the public network is outbound, whatever the direction of its call.
  const ratedLeg = ({ role, number }: LegRow): UnansweredLeg => ({
    direction: role === 'customer' ? row.direction : 'outbound',
    kind: row.kind,
    number,
  });
  return {
    answered: billable.flatMap((leg) =>
      leg.answered_at === null ? [] : { ...ratedLeg(leg), answeredAt: leg.answered_at, endedAt: leg.ended_at },
    ),
    unanswered: billable.filter((leg) => leg.answered_at === null && leg.status !== 'ended').map(ratedLeg),
  };
}
