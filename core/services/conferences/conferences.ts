import type { CallRow, LegRow, ParticipantRow } from '../../data/rows.js';
import { PARTICIPANT_LEGS } from '../../model/conference.js';
import { Q850 } from '../../model/hangup-cause.js';
import { newId } from '../../model/ids.js';
import type { CallCommand, CommandOutcome } from '../../ports/command-bus.js';
import { EngineError, type EngineSnapshot, type LegEvent } from '../../ports/engine.js';
import type { WrittenConference } from '../calls/archive.js';
import { ifAlive } from '../calls/if-alive.js';
import type { LiveCall } from '../calls/live-call.js';
import type { LiveCalls } from '../calls/live-calls.js';
import { Conference } from './conference.js';

type Join = Extract<CallCommand, { type: 'join_conference' }>;
type End = Extract<CallCommand, { type: 'end_conference' }>;
type Play = Extract<CallCommand, { type: 'play_to_conference' }>;

/** A conference in this process's hands, and what has been done about it. */
interface Held {
  readonly conference: Conference;
  /** The waiting ones were brought in. */
  isBegun: boolean;
  /** Everybody was let go. */
  isDismissed: boolean;
  /** What the API had played. */
  readonly played: string[];
}

const BEEP = [{ type: 'tone', tone: 'beep' }] as const;

/**
 * The conferences of one engine, in the process that owns it. Who is in one is decided here at once, within one turn; what follows from it for a
 * call is done in that call's own mailbox. No mailbox ever waits for another.
 */
export class Conferences {
  readonly #held = new Map<string, Held>();
  /** Where the engine had legs when it was taken over. */
  #bridgeOf: ReadonlyMap<string, string | null> = new Map();

  constructor(private readonly calls: LiveCalls) {
    calls.onWritten = ({ conference }) => conference && this.#advance(conference);
  }

  has(conferenceId: string): boolean {
    return this.#held.has(conferenceId);
  }

  /** Take over conferences that were there before; their calls are {@link attach}ed one by one. */
  async adopt(
    read: () => Promise<readonly WrittenConference[]>,
    { legs }: Pick<EngineSnapshot, 'legs'>,
  ): Promise<void> {
    this.#bridgeOf = new Map(legs.map(({ legId, bridgeId }) => [legId, bridgeId]));
    // One that ends in these hands meanwhile may still be read.
    const inHand = new Set(this.#held.keys());
    for (const { conference, participants } of await read()) {
      if (!inHand.has(conference.id) && !this.has(conference.id)) this.#hold(new Conference(conference, participants));
    }
  }

  /** A call is taken over. */
  attach({ record, seats }: LiveCall): void {
    const conference = this.#held.get(record.row.conference_id ?? '')?.conference;
    if (!conference) return;
    record.attach(conference);
    for (const { id } of record.legs) if (this.#bridgeOf.get(id) === conference.id) seats.found(id);
  }

  /** In the call's mailbox: the call takes part with its customer and, where there is one, its agent. */
  async join(live: LiveCall, command: Join): Promise<CommandOutcome> {
    const { clock } = this.calls;
    const { record } = live;
    const refused = this.#refusal(live);
    if (refused) return refused;
    const held = await this.#prepare(live, command);
    if ('result' in held) return held;
    // From the seats to the record in one turn: nobody else can be given them, and the conference cannot end in between.
    const { conference } = held;
    const now = clock.now();
    const legs = PARTICIPANT_LEGS.flatMap((role) => record.legOf(role) ?? []).filter(isAnswered);
    const newcomers = legs.map((leg) => participantOf(leg, conference, command, now));
    if (!conference.admit(newcomers)) {
      this.#dropUnused(held);
      return { result: 'conference_full', max: conference.row.max_participants };
    }
    record.joinConference(conference, newcomers, now);
    // Whatever the call was for, it is in the conference from here to its end.
    live.become({ type: 'idle' });
    live.note('control.conference', {
      conference_id: conference.id,
      actor: command.actor,
      request_id: command.requestId,
    });
    for (const leg of record.legs) if (!legs.includes(leg)) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
    await this.calls.commit(live);
    await this.#seat(live, legs, command.muted);
    if (command.beep) await this.#beep(held);
    return { result: 'joined', conferenceId: conference.id };
  }

  #refusal({ record, announcing }: LiveCall): CommandOutcome | null {
    if (record.isFinal) return { result: 'not_active' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    if (record.row.status !== 'answered') return { result: 'not_answered' };
    if (record.conference) return { result: 'in_conference', conferenceId: record.conference.id };
    if (record.transfer) return { result: 'transfer_in_progress' };
    // The customer is being told that the call is recorded, and nothing comes before that.
    return announcing ? { result: 'not_controllable' } : null;
  }

  /** The conference, with a bridge in the engine; nobody is in it yet where it is new. */
  async #prepare(live: LiveCall, command: Join): Promise<Held | CommandOutcome> {
    for (;;) {
      const conference = this.#find(live.record.row, command);
      if (!conference) return { result: 'not_controllable' };
      if (!conference.isOpen) return { result: 'conference_ended', conferenceId: conference.id };
      const held = this.#hold(conference);
      try {
        await this.calls.engine.bridges.create(conference.id);
      } catch (error) {
        this.#dropUnused(held);
        throw error;
      }
      if (this.#canBeJoined(held)) return held;
    }
  }

  /** It may have ended while the engine was asked. */
  #canBeJoined(held: Held): boolean {
    return held.conference.isOpen && this.#held.get(held.conference.id) === held;
  }

  /** @returns null for one that is not in these hands (yet). */
  #find(call: CallRow, { conferenceId, name, maxParticipants }: Join): Conference | null {
    if (conferenceId !== null) return this.#held.get(conferenceId)?.conference ?? null;
    const isIt = ({ row, isOpen }: Conference): boolean =>
      isOpen && row.project_id === call.project_id && row.sandbox === call.sandbox && row.name === name;
    const known = [...this.#held.values()].find(({ conference }) => isIt(conference));
    if (known) return known.conference;
    return new Conference({
      id: newId(),
      organization_id: call.organization_id,
      project_id: call.project_id,
      engine_id: this.calls.options.engineId,
      sandbox: call.sandbox,
      name,
      max_participants: maxParticipants,
      created_at: this.calls.clock.now(),
      ended_at: null,
      emptied_at: null,
    });
  }

  /** One that was made for somebody who did not come. */
  #dropUnused({ conference }: Held): void {
    if (conference.isUnused) this.#held.delete(conference.id);
  }

  #hold(conference: Conference): Held {
    const { isStarted, isOpen } = conference;
    const held = this.#held.get(conference.id) ?? {
      conference,
      isBegun: isStarted,
      isDismissed: !isOpen,
      played: [],
    };
    this.#held.set(conference.id, held);
    return held;
  }

  /** An engine that refuses leaves the parties where they were, out of the conference. */
  async #seat(live: LiveCall, legs: readonly LegRow[], muted: boolean): Promise<void> {
    const { record, seats } = live;
    const { conference } = record;
    if (!conference) return;
    try {
      for (const leg of legs) {
        // Before anybody could hear it.
        if (muted && !leg.muted) await ifAlive(live.mute(leg.id, true));
        await seats.take(conference, leg.id);
        record.markLeg(leg.id, 'on_hold', false, this.calls.clock.now());
      }
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      for (const { id } of legs) {
        record.leaveConference(id, this.calls.clock.now(), false);
        seats.leave(id);
      }
      await this.calls.commit(live);
      record.quitConference();
      live.become({ type: legs.length > 1 ? 'talk' : 'idle' });
      if (legs.length > 1) await live.unite(legs.map(({ id }) => id));
      throw error;
    }
  }

  /**
   * Something happened to the call, or the application is back: brings its legs to where they belong.
   * @returns whether what happened is not for the call's program.
   */
  async takes(live: LiveCall, event?: LegEvent): Promise<boolean> {
    const { record, seats } = live;
    const { conference } = record;
    if (!conference) return false;
    const isOver = record.isFinal || !conference.isOpen;
    for (const leg of record.legs) {
      if (isOver) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
      else if (conference.isIn(leg.id) && !leg.on_hold) await seats.take(conference, leg.id);
    }
    const held = this.#held.get(conference.id);
    const isLeaving = event?.type === 'leg.ended' && conference.participant(event.legId)?.beep === true;
    if (held && isLeaving) await this.#beep(held);
    return true;
  }

  /** Lets everybody go. Resolves when it is written down and the engine was told. */
  async end(command: End): Promise<CommandOutcome> {
    const { calls } = this;
    const { conferenceId, actor, requestId } = command;
    const held = this.#held.get(conferenceId);
    if (!held || calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const { conference } = held;
    if (!conference.isOpen) return { result: 'conference_ended', conferenceId };
    conference.close(calls.clock.now());
    held.isDismissed = true;
    const note = async (live: LiveCall): Promise<void> => {
      live.note('control.conference_end', { conference_id: conferenceId, actor, request_id: requestId });
      live.record.touchConference();
      await calls.commit(live);
    };
    const outcomes = await Promise.allSettled(
      callsOf(conference).map((callId) => calls.post(callId, () => this.#bring(callId, note))),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return { result: 'done' };
  }

  /** Everybody who is in hears it; who waits or is on hold does not. */
  async play({ conferenceId, path, loop }: Play): Promise<CommandOutcome> {
    const held = this.#held.get(conferenceId);
    if (!held) return { result: 'not_controllable' };
    if (!held.conference.isOpen) return { result: 'conference_ended', conferenceId };
    const playbackId = newId();
    const items = [{ type: 'file', path }] as const;
    await this.calls.engine.media.play({ playbackId, target: { bridgeId: conferenceId }, items, loop });
    held.played.push(playbackId);
    return { result: 'done' };
  }

  async stopPlaying(conferenceId: string): Promise<CommandOutcome> {
    const held = this.#held.get(conferenceId);
    if (!held) return { result: 'not_controllable' };
    if (!held.conference.isOpen) return { result: 'conference_ended', conferenceId };
    for (const playbackId of held.played.splice(0)) await ifAlive(this.calls.engine.media.stop(playbackId));
    return { result: 'done' };
  }

  /** What was just written of a conference may concern its other calls. */
  #advance(conference: Conference): void {
    const { calls } = this;
    const held = this.#held.get(conference.id);
    if (!held) return;
    const isEmpty = conference.present.length === 0;
    if (isEmpty) this.#held.delete(conference.id);
    if (!calls.options.lease.mayCommand) return;
    if (isEmpty) {
      calls.run(conference.id, () => calls.engine.bridges.destroy(conference.id));
    } else if (!conference.isOpen && !held.isDismissed) {
      held.isDismissed = true;
      this.#bringAll(conference);
    } else if (conference.isStarted && !held.isBegun) {
      held.isBegun = true;
      this.#bringAll(conference);
    }
  }

  /** Nobody waits for it. */
  #bringAll(conference: Conference): void {
    for (const callId of callsOf(conference)) this.calls.run(callId, () => this.#bring(callId));
  }

  /** In the call's mailbox: its legs go where they belong by now. */
  async #bring(callId: string, act?: (live: LiveCall) => Promise<void>): Promise<void> {
    const live = this.calls.get(callId);
    if (!live) return;
    await act?.(live);
    await this.takes(live);
    await this.calls.settle(live);
  }

  /** A tone that cannot be played keeps nobody out. */
  async #beep({ conference }: Held): Promise<void> {
    if (!conference.isOpen || !conference.isStarted) return;
    try {
      await this.calls.engine.media.play({
        playbackId: newId(),
        target: { bridgeId: conference.id },
        items: BEEP,
      });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.calls.options.log.warn({ err: error, conferenceId: conference.id }, 'a beep could not be played');
    }
  }
}

function callsOf({ present }: Conference): string[] {
  return [...new Set(present.map(({ call_id }) => call_id))];
}

function isAnswered({ status }: LegRow): boolean {
  return status === 'answered';
}

function participantOf(leg: LegRow, { id }: Conference, command: Join, now: Date): ParticipantRow {
  return {
    id: newId(),
    conference_id: id,
    call_id: leg.call_id,
    leg_id: leg.id,
    leg: leg.role === 'agent' ? 'agent' : 'customer',
    start_on_enter: command.startOnEnter,
    // A call is in it as long as its customer: an agent may leave without taking the others along.
    end_on_exit: command.endOnExit && leg.role === 'customer',
    beep: command.beep,
    requested_by: command.actor,
    request_id: command.requestId,
    joined_at: now,
    left_at: null,
  };
}
