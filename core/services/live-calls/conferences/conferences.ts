import { Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { CallCommand, CommandOutcome, JoinConferenceCommand } from '../../../ports/command-bus.js';
import { EngineError, type EngineSnapshot } from '../../../ports/engine.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { RecordingRow } from '../../../data/rows.js';
import type { RecordingConsent } from '../../recordings/consent.js';
import type { StoredConference } from '../../call-state/call-archive.js';
import { ignoringEndedLeg } from '../call/ignoring-ended-leg.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { ConferenceRegistry } from './conference-registry.js';
import type { ConferenceState } from '../../call-state/conference-state.js';
import { Joining } from './joining.js';
import { ConferenceRecordings } from './recording.js';

type End = Extract<CallCommand, { type: 'end_conference' }>;
type Play = Extract<CallCommand, { type: 'play_to_conference' }>;

const BEEP = [{ type: 'tone', tone: 'beep' }] as const;

/**
 * The conferences of one engine, in the process that owns it. Membership is decided synchronously; the consequences for
 * a call run in that call's own serial executor. No serial executor ever waits for another.
 */
export class Conferences {
  readonly #registry: ConferenceRegistry;
  readonly #joining: Joining;
  /** The bridge of each leg when this process took the engine over. */
  #bridgeOf: ReadonlyMap<string, string | null> = new Map();

  readonly #recordings: ConferenceRecordings;

  constructor(
    private readonly calls: LiveCalls,
    consent: Pick<RecordingConsent, 'announcement'>,
  ) {
    this.#registry = new ConferenceRegistry(calls);
    this.#recordings = new ConferenceRecordings(calls, this.#registry, consent);
    this.#joining = new Joining(calls, this.#registry);
    calls.onWritten = ({ conference }) => conference && this.#advance(conference);
  }

  has(conferenceId: string): boolean {
    return this.#registry.get(conferenceId) !== undefined;
  }

  /** Takes over existing conferences; {@link attach} then adds their calls one by one. */
  async adopt(read: () => Promise<readonly StoredConference[]>, { legs }: Pick<EngineSnapshot, 'legs'>): Promise<void> {
    this.#bridgeOf = new Map(legs.map(({ legId, bridgeId }) => [legId, bridgeId]));
    await this.#registry.adopt(read);
  }

  /** Connects a call that was taken over with its conference. */
  attach({ state, seats }: LiveCall): void {
    const held = this.#registry.get(state.row.conference_id ?? '');
    if (!held) return;
    const { conference } = held;
    state.attach(conference);
    for (const { id } of state.parties) {
      if (this.#bridgeOf.get(id) !== conference.id) continue;
      seats.found(id);
      held.informedLegs.add(id);
    }
  }

  /**
   * Reconciles the conference recording stored with a call that was loaded again. @param running ids of the engine's
   * recordings
   */
  reconcile(live: LiveCall, running: ReadonlySet<string>): Promise<void> {
    return this.#recordings.reconcile(live, running);
  }

  /** Runs in the turn of a call that may just have entered the bridge: plays the recording announcement if needed. */
  greet(live: LiveCall): Promise<void> {
    return this.#recordings.greet(live);
  }

  record(command: Extract<CallCommand, { type: 'record_conference' }>): Promise<CommandOutcome> {
    return this.#recordings[command.how](command);
  }

  /** Handles the end of a recording, as reported by the engine. */
  recorded({ id, conference_id }: Pick<RecordingRow, 'id' | 'conference_id'>): void {
    if (conference_id !== null) this.#recordings.ended(conference_id, id);
  }

  /** Returns the conference if this process owns it. */
  get(conferenceId: string): ConferenceState | undefined {
    return this.#registry.get(conferenceId)?.conference;
  }

  /** Runs in the call's turn. Resolves when the call is in the conference. */
  async join(live: LiveCall, command: JoinConferenceCommand): Promise<CommandOutcome> {
    const held = await this.#joining.join(live, command);
    if ('result' in held) return held;
    const { conference } = held;
    if (command.beep) await this.#beep(conference);
    await this.greet(live);
    return { result: 'done', conferenceId: conference.id };
  }

  /**
   * Moves the call's legs to where they belong, after an event or an outage.
   * @returns whether the conference handled the event, so that the call's program does not
   */
  async takes(live: LiveCall, event?: LegEvent): Promise<boolean> {
    const { state, seats } = live;
    const { conference } = state;
    if (!conference) return false;
    const isOver = state.isFinal || !conference.isOpen;
    for (const leg of state.parties) {
      if (isOver || !conference.isIn(leg.id)) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
      else if (!leg.on_hold) await seats.take(conference, leg.id);
    }
    if (!isOver) await this.greet(live);
    if (event?.type === 'leg.ended' && conference.participant(event.legId)?.beep === true) {
      await this.#beep(conference);
    }
    return true;
  }

  /** Hangs up all participants. Resolves when this is stored and the engine has the commands. */
  async end({ conferenceId, actor, requestId }: End): Promise<CommandOutcome> {
    const { calls } = this;
    const held = this.#registry.get(conferenceId);
    if (!held || calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const { conference } = held;
    if (!conference.isOpen) return { result: 'conference_ended', conferenceId };
    conference.close(calls.clock.now());
    held.isHungUp = true;
    const note = async (live: LiveCall): Promise<void> => {
      live.note('control.conference_end', { conference_id: conferenceId, actor, request_id: requestId });
      live.state.touchConference();
      await calls.commit(live);
    };
    const outcomes = await Promise.allSettled(
      callsOf(conference).map((callId) => calls.post(callId, () => this.#moveToPlace(callId, note))),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return { result: 'done' };
  }

  /** Plays to everyone in the bridge; participants who wait or are on hold do not hear it. */
  async play({ conferenceId, path, loop }: Play): Promise<CommandOutcome> {
    const held = this.#registry.get(conferenceId);
    if (!held) return { result: 'not_controllable' };
    if (!held.conference.isOpen) return { result: 'conference_ended', conferenceId };
    const playbackId = newId();
    const items = [{ type: 'file', path }] as const;
    await this.calls.engine.media.play({ playbackId, target: { bridgeId: conferenceId }, items, loop });
    held.played.push(playbackId);
    return { result: 'done' };
  }

  async stopPlaying(conferenceId: string): Promise<CommandOutcome> {
    const held = this.#registry.get(conferenceId);
    if (!held) return { result: 'not_controllable' };
    if (!held.conference.isOpen) return { result: 'conference_ended', conferenceId };
    for (const playbackId of held.played.splice(0)) await ignoringEndedLeg(this.calls.engine.media.stop(playbackId));
    return { result: 'done' };
  }

  /** Updates the conference's other calls after a change was written. */
  #advance(conference: ConferenceState): void {
    const { calls } = this;
    const held = this.#registry.get(conference.id);
    if (!held) return;
    const isEmpty = conference.present.length === 0;
    if (isEmpty) this.#registry.drop(held);
    // Without the lease another process may be commanding the engine. When this process holds the lease again, it moves
    // each call to its place.
    if (!calls.options.lease.mayCommand) return;
    if (isEmpty) {
      calls.run(conference.id, async () => {
        await this.#recordings.end(conference);
        await calls.engine.bridges.destroy(conference.id);
      });
    } else if (!conference.isOpen && !held.isHungUp) {
      held.isHungUp = true;
      this.#moveAllToPlace(conference);
    } else if (conference.isStarted && !held.isStarted) {
      held.isStarted = true;
      this.#moveAllToPlace(conference);
    }
  }

  /** Does not wait for the calls. */
  #moveAllToPlace(conference: ConferenceState): void {
    for (const callId of callsOf(conference)) this.calls.run(callId, () => this.#moveToPlace(callId));
  }

  /** Runs in the call's turn: moves its legs to where they belong now. */
  async #moveToPlace(callId: string, act?: (live: LiveCall) => Promise<void>): Promise<void> {
    const live = this.calls.get(callId);
    if (!live) return;
    await act?.(live);
    await this.takes(live);
    await this.calls.settle(live);
  }

  /** A failed beep does not keep a participant out. */
  async #beep({ id, isOpen, isStarted }: ConferenceState): Promise<void> {
    if (!isOpen || !isStarted) return;
    try {
      await this.calls.engine.media.play({ playbackId: newId(), target: { bridgeId: id }, items: BEEP });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.calls.options.log.warn({ err: error, conferenceId: id }, 'beep could not be played');
    }
  }
}

function callsOf({ present }: ConferenceState): string[] {
  return [...new Set(present.map(({ call_id }) => call_id))];
}
