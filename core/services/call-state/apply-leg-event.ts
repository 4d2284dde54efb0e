import { outcomeOfUnanswered, type HangupCause } from '../../model/call/hangup-cause.js';
import type { LegRow } from '../../data/rows.js';
import type { LegEvent } from '../../ports/engine-events.js';
import { isLegOfAwayBrowser } from './away-browsers.js';
import type { CallState } from './call-state.js';
import { waitsForAgent, type Ending } from './program.js';

/** Called for a transition that the call's state table does not allow. */
export type IllegalMove = (from: string, to: string) => void;

/**
 * Applies an engine event to the call's state. Sends no commands.
 * @param ending outcome already chosen for an unanswered call, for when the engine reports its end
 */
export function applyLegEvent(state: CallState, event: LegEvent, ending: Ending | null, onIllegal: IllegalMove): void {
  const leg = state.leg(event.legId);
  if (!leg) return;
  if (leg.role === 'supervisor' && !IS_OF_SUPERVISORS.has(event.type)) return;
  // A call that is being ended waits for no browser.
  const isAway = ending === null && isLegOfAwayBrowser(state.row, leg.id);
  const isCustomer = leg.role === 'customer' && !isAway;
  switch (event.type) {
    // Early media replaces ringback for the caller, so it means that the other side was reached.
    case 'leg.progress':
    case 'leg.ringing':
      if (state.moveLeg(leg.id, 'ringing', event.at)) {
        if (isCustomer) moveTo(state, 'ringing', event.at, onIllegal);
        else state.note(event.type, event.at, { leg: leg.role });
      }
      return;
    case 'leg.answered':
      if (state.moveLeg(leg.id, 'answered', event.at)) {
        if (isCustomer && !waitsForAgent(state.row)) moveTo(state, 'answered', event.at, onIllegal);
        else state.note('leg.answered', event.at, { leg: leg.role });
      }
      return;
    case 'leg.ended':
      if (endLeg(state, leg, event) && isCustomer) endWith(state, event.cause, event.at, ending, onIllegal);
      return;
    case 'leg.dtmf':
      // Digits are secrets (a card number, a PIN), so the event only says that a key was pressed.
      if (leg.role !== 'supervisor') state.emit('call.dtmf', event.at, { dtmf: { leg: leg.role, digits_count: 1 } });
      return;
    // A hold by the phone's own button counts like any other hold. The engine plays the music.
    case 'leg.phone_held':
    case 'leg.phone_resumed':
      state.markLeg(leg.id, 'on_hold', event.type === 'leg.phone_held', event.at);
      return;
    case 'play.started':
    case 'leg.incoming':
    case 'leg.transfer_requested':
      return;
    case 'play.finished':
      state.note('play.finished', event.at, { leg: leg.role, outcome: event.outcome });
  }
}

/** The only events of a supervisor's leg that affect the call: its key presses, holds and playbacks do not. */
const IS_OF_SUPERVISORS: ReadonlySet<LegEvent['type']> = new Set(['leg.ringing', 'leg.answered', 'leg.ended']);

/** Ends a leg, and nothing else of its call. @returns false if it has ended already */
export function endLeg(state: CallState, leg: LegRow, event: Extract<LegEvent, { type: 'leg.ended' }>): boolean {
  const { cause, at, quality } = event;
  if (!state.endLeg(leg.id, cause, at, quality)) return false;
  state.note('leg.ended', at, { leg: leg.role, q850: cause.q850, sip_code: cause.sipCode, text: cause.text });
  return true;
}

/** Ends the call after its customer's leg ended. */
export function endWith(
  state: CallState,
  cause: HangupCause,
  at: Date,
  ending: Ending | null,
  onIllegal: IllegalMove,
): void {
  const answered = state.row.status === 'answered';
  const { status, disposition } = answered
    ? ({ status: 'ended', disposition: 'answered' } as const)
    : (ending ?? outcome(state, cause));
  const from = state.row.status;
  if (!state.end(status, at, { disposition, cause })) onIllegal(from, status);
}

/** Outcome of a call whose customer leg ended unanswered. */
function outcome(state: CallState, cause: HangupCause): Pick<Ending, 'status' | 'disposition'> {
  if (waitsForAgent(state.row)) return { status: 'missed', disposition: 'queue_abandoned' };
  const gaveUpOurselves = cause.sipCode === null && GAVE_UP.has(cause.q850);
  if (gaveUpOurselves && state.row.ringing_at === null) return { status: 'timeout', disposition: 'no_answer' };
  return outcomeOfUnanswered(cause.q850);
}

/** Q.850 "no user responding" and "no answer": what an engine reports when the ring timeout expires. */
const GAVE_UP: ReadonlySet<number> = new Set([18, 19]);

function moveTo(state: CallState, status: 'ringing' | 'answered', at: Date, onIllegal: IllegalMove): void {
  const from = state.row.status;
  if (!state.move(status, at)) onIllegal(from, status);
}
