import type { LegRow, ParticipantRow } from '../../../data/rows.js';
import { PARTICIPANT_LEGS } from '../../../model/call/conference.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { CommandOutcome, JoinConferenceCommand } from '../../../ports/command-bus.js';
import { EngineError } from '../../../ports/engine.js';
import { ignoringEndedLeg } from '../call/ignoring-ended-leg.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { ConferenceRegistry, LiveConference } from './conference-registry.js';
import { awayBrowsersOf } from '../../call-state/away-browsers.js';
import type { ConferenceState } from '../../call-state/conference-state.js';

/** Takes calls into conferences. Every method runs in the call's turn. */
export class Joining {
  constructor(
    private readonly calls: LiveCalls,
    private readonly registry: ConferenceRegistry,
  ) {}

  /**
   * Adds the call's customer and, if one is connected, its agent. @returns the conference, or the reason for the
   * refusal
   */
  async join(live: LiveCall, command: JoinConferenceCommand): Promise<LiveConference | CommandOutcome> {
    const { state } = live;
    const refused = this.#refusal(live);
    if (refused) return refused;
    const held = await this.#prepare(live, command);
    if ('result' in held) return held;
    // From here to `joinConference` nothing is awaited, so the places cannot be given away and the conference cannot
    // end in between.
    const { conference } = held;
    const now = this.calls.clock.now();
    const legs = PARTICIPANT_LEGS.flatMap((role) => state.legOf(role) ?? []).filter(isAnswered);
    const newcomers = legs.map((leg) => participantOf(leg, conference, command, now));
    if (!conference.admit(newcomers)) {
      this.#dropUnused(held);
      return { result: 'conference_full', max: conference.row.max_participants };
    }
    state.joinConference(conference, newcomers, now);
    // Whatever the call's program was, the call now stays in the conference to its end.
    live.become({ type: 'idle' });
    const { actor, requestId } = command;
    live.note('control.conference', { conference_id: conference.id, actor, request_id: requestId });
    await this.calls.commit(live);
    await this.#seat(live, conference, legs, command.muted);
    return held;
  }

  #refusal({ state, announcing }: LiveCall): CommandOutcome | null {
    if (state.isFinal) return { result: 'not_active' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    if (state.row.status !== 'answered') return { result: 'not_answered' };
    if (state.conference) return { result: 'in_conference', conferenceId: state.conference.id };
    if (state.transfer) return { result: 'transfer_in_progress' };
    // The customer is hearing the recording announcement, which comes first; or a browser's page is being loaded again.
    return announcing || awayBrowsersOf(state.row).length > 0 ? { result: 'not_controllable' } : null;
  }

  /** Returns the conference with its bridge created; a new one has no participants. */
  async #prepare(live: LiveCall, command: JoinConferenceCommand): Promise<LiveConference | CommandOutcome> {
    for (;;) {
      const conference = this.registry.find(live.state.row, command);
      if (!conference) return { result: 'not_controllable' };
      if (!conference.isOpen) return { result: 'conference_ended', conferenceId: conference.id };
      const held = this.registry.hold(conference);
      try {
        // Created once for all who join at the same time: engines fail if the same bridge is created twice
        // concurrently.
        await (held.bridge ??= this.calls.engine.bridges.create(conference.id));
      } catch (error) {
        held.bridge = null;
        this.#dropUnused(held);
        throw error;
      }
      if (this.registry.canBeJoined(held)) return held;
    }
  }

  /** Drops a conference that was created for a call that did not join. */
  #dropUnused(held: LiveConference): void {
    if (held.conference.isUnused) this.registry.drop(held);
  }

  /** If the engine refuses, the parties stay out of the conference and are connected as before. */
  async #seat(live: LiveCall, conference: ConferenceState, legs: readonly LegRow[], muted: boolean): Promise<void> {
    const { state, seats } = live;
    const { clock } = this.calls;
    try {
      // A party that is still ringing has nobody to be connected with any more.
      for (const { id } of state.parties) if (!conference.isIn(id)) await live.hangupLeg(id, Q850.NORMAL_CLEARING);
      for (const leg of legs) {
        // Mute before anyone can hear the leg.
        if (muted && !leg.muted) await ignoringEndedLeg(live.mute(leg.id, true));
        await seats.take(conference, leg.id);
        state.markLeg(leg.id, 'on_hold', false, clock.now());
      }
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      for (const { id } of legs) {
        state.leaveConference(id, clock.now(), false);
        seats.leave(id);
      }
      await this.calls.commit(live);
      state.quitConference();
      live.become({ type: legs.length > 1 ? 'talk' : 'idle' });
      if (legs.length > 1) await live.bridgeLegs(legs.map(({ id }) => id));
      throw error;
    }
  }
}

function isAnswered({ status }: LegRow): boolean {
  return status === 'answered';
}

function participantOf(
  leg: LegRow,
  { id }: ConferenceState,
  command: JoinConferenceCommand,
  now: Date,
): ParticipantRow {
  return {
    id: newId(),
    conference_id: id,
    call_id: leg.call_id,
    leg_id: leg.id,
    leg: leg.role === 'agent' ? 'agent' : 'customer',
    start_on_enter: command.startOnEnter,
    // A call stays in as long as its customer: an agent may leave without ending the conference for the others.
    end_on_exit: command.endOnExit && leg.role === 'customer',
    beep: command.beep,
    requested_by: command.actor,
    request_id: command.requestId,
    joined_at: now,
    left_at: null,
  };
}
