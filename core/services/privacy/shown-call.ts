import type { WholeCall } from '../../data/repositories/privacy/person-calls.js';
import { maskNumber } from '../../model/access/masking.js';
import { isoTime } from '../../model/time.js';

/**
 * A call as the archive of its customer shows it. Numbers of others are masked; nobody learns the id of a call that the
 * platform made for itself. @param number the person's, if it is known
 */
export function shownCall(whole: WholeCall, number: string | null): object {
  const { call, is_party } = whole;
  const id = call.system === true ? null : call.id;
  const legs = whole.legs.map((leg) => ({
    role: leg.role,
    number: leg.number === number || (leg.role === 'customer' && !is_party) ? leg.number : masked(leg.number),
    status: leg.status,
    answered_at: isoTime(leg.answered_at),
    ended_at: isoTime(leg.ended_at),
  }));
  const times = {
    created_at: isoTime(call.created_at),
    answered_at: isoTime(call.answered_at),
    ended_at: isoTime(call.ended_at),
  };
  if (is_party) {
    return {
      call_id: id,
      role: 'joined the call of somebody else',
      ...times,
      legs: legs.filter((leg) => leg.number === number),
    };
  }
  const { kind, direction, status, customer_number, line_number, caller_id_number, caller_id_name, agent } = call;
  return {
    call_id: id,
    role: 'customer',
    ...{ kind, direction, status, customer_number, line_number, caller_id_number, caller_id_name, agent },
    ...{ metadata: call.metadata, disposition: call.disposition, ...times, legs },
    transfers: whole.transfers.map(({ type, destination, status: outcome, created_at }) => ({
      type,
      to: { type: destination.type, target: masked(destination.target) },
      status: outcome,
      created_at: isoTime(created_at),
    })),
    timeline: whole.timeline.map(({ at, type }) => ({ at: isoTime(at), type })),
    events: whole.events.map(({ created_at, type }) => ({ at: isoTime(created_at), type })),
    transcripts: whole.transcripts,
    voicemails: whole.voicemails,
  };
}

/** Extensions and ids are no numbers of people. */
function masked(target: string | null): string | null {
  return target !== null && /^\+\d|^sips?:/.test(target) ? maskNumber(target) : target;
}
