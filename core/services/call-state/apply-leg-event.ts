import { outcomeOfUnanswered, type HangupCause } from '../../model/call/hangup-cause.js';
import type { LegEvent } from '../../ports/engine.js';
import type { CallRecord } from './call-state.js';
import { waitsForAgent, type Ending } from './program.js';

/** A move that the call's table of states does not allow. */
export type IllegalMove = (from: string, to: string) => void;

/**
 * Takes the call's record to where the engine says that it is. Pure bookkeeping: no command is given here.
 * @param ending what somebody decided about a call that is not answered yet, before the engine told of its end.
 */
export function follow(record: CallRecord, event: LegEvent, ending: Ending | null, onIllegal: IllegalMove): void {
  const leg = record.leg(event.legId);
  if (!leg) return;
  if (leg.role === 'supervisor' && !IS_OF_SUPERVISORS.has(event.type)) return;
  const isCustomer = leg.role === 'customer';
  switch (event.type) {
    // Early media is what a caller hears instead of ringing: the other side was reached.
    case 'leg.progress':
    case 'leg.ringing':
      if (record.moveLeg(leg.id, 'ringing', event.at)) {
        if (isCustomer) moveTo(record, 'ringing', event.at, onIllegal);
        else record.note(event.type, event.at, { leg: leg.role });
      }
      return;
    case 'leg.answered':
      if (record.moveLeg(leg.id, 'answered', event.at)) {
        if (isCustomer && !waitsForAgent(record.row)) moveTo(record, 'answered', event.at, onIllegal);
        else record.note('leg.answered', event.at, { leg: leg.role });
      }
      return;
    case 'leg.ended':
      if (record.endLeg(leg.id, event.cause, event.at, event.quality)) {
        record.note('leg.ended', event.at, {
          leg: leg.role,
          q850: event.cause.q850,
          sip_code: event.cause.sipCode,
          text: event.cause.text,
        });
        if (isCustomer) endWith(record, event.cause, event.at, ending, onIllegal);
      }
      return;
    case 'leg.dtmf':
      // What was pressed is the caller's secret (a card number, a PIN): only that something was pressed is told.
      record.emit('call.dtmf', event.at, { dtmf: { leg: leg.role, digits_count: 1 } });
      return;
    // The phone's own button is a hold like any other; the engine plays the music.
    case 'leg.phone_held':
    case 'leg.phone_resumed':
      record.markLeg(leg.id, 'on_hold', event.type === 'leg.phone_held', event.at);
      return;
    case 'play.started':
    case 'leg.incoming':
    case 'leg.transfer_requested':
      return;
    case 'play.finished':
      record.note('play.finished', event.at, { leg: leg.role, outcome: event.outcome });
  }
}

/** What a supervisor presses, holds and hears is no affair of the call. */
const IS_OF_SUPERVISORS: ReadonlySet<LegEvent['type']> = new Set(['leg.ringing', 'leg.answered', 'leg.ended']);

/** Ends the call as its customer's leg ended. */
export function endWith(
  record: CallRecord,
  cause: HangupCause,
  at: Date,
  ending: Ending | null,
  onIllegal: IllegalMove,
): void {
  const answered = record.row.status === 'answered';
  const { status, disposition } = answered
    ? ({ status: 'ended', disposition: 'answered' } as const)
    : (ending ?? outcome(record, cause));
  const from = record.row.status;
  if (!record.end(status, at, { disposition, cause })) onIllegal(from, status);
}

/** What it means that the customer's leg ended unanswered: nobody picked up, or nobody was ever rung. */
function outcome(record: CallRecord, cause: HangupCause): Pick<Ending, 'status' | 'disposition'> {
  if (waitsForAgent(record.row)) return { status: 'missed', disposition: 'queue_abandoned' };
  const gaveUpOurselves = cause.sipCode === null && GAVE_UP.has(cause.q850);
  if (gaveUpOurselves && record.row.ringing_at === null) return { status: 'timeout', disposition: 'no_answer' };
  return outcomeOfUnanswered(cause.q850);
}

/** No user responding, no answer: what an engine says when the ring timeout passes. */
const GAVE_UP: ReadonlySet<number> = new Set([18, 19]);

function moveTo(record: CallRecord, status: 'ringing' | 'answered', at: Date, onIllegal: IllegalMove): void {
  const from = record.row.status;
  if (!record.move(status, at)) onIllegal(from, status);
}
