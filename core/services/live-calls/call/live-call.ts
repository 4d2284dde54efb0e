import type { CallRow, LegRow } from '../../../data/rows.js';
import type { CallStatus, LegRole } from '../../../model/call/call.js';
import type { CallerId } from '../../../model/call/caller-id.js';
import type { Destination } from '../../../model/call/destinations.js';
import type { Diversion, ForwardedPath, Unreached } from '../../../model/call/forwarding.js';
import type { EventData, EventType } from '../../../model/events/index.js';
import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { CommandOutcome, JoinConferenceCommand } from '../../../ports/command-bus.js';
import type { Engine, MediaItem, TransferOutcome } from '../../../ports/engine.js';
import { ConferenceLegs } from './seats.js';
import { FlowCall } from './flow-call.js';
import { QueuedCall, viewOf } from './queued-call.js';
import { LegPlaybacks } from './leg-playbacks.js';
import { MessagingCall } from './messaging-call.js';
import type { CallHost } from './call-host.js';
import { admitDialled, forwardCall, type ForwardingContext } from './forwarded-leg.js';
import { diallerIn, type WantedLeg } from './leg-admission.js';
import type { CallState } from '../../call-state/call-state.js';
import { CallRecordings } from './call-recordings.js';
import { endWith, type IllegalMove } from '../../call-state/apply-leg-event.js';
import { ignoringEndedLeg } from './ignoring-ended-leg.js';
import {
  hopsOf,
  MAX_HOPS,
  type CallProgram,
  type DialledAs,
  type DialOutcome,
  type Ending,
  type ForwardStep,
  type InsideRoute,
  type LegView,
  type ProgramFactory,
  type ProgramSignal,
  type ProgramSpec,
  type SavedProgram,
} from '../../call-state/program.js';
import type { ProgramTimers } from './program-timers.js';
import { newLeg } from '../../call-state/new-leg.js';
import { callerIdFor, Ringing } from './ringing.js';
import type { Presented } from '../../trunks/trunk-use.js';

/** An announcement that the call is being recorded, which delays the call until the customer has heard it. */
export interface Announcing {
  readonly playbackId: string;
  readonly items: readonly MediaItem[];
  /** What the call does next. */
  goOn(): Promise<void>;
}

/** What a live call needs from its environment. */
export interface LiveCallContext extends ForwardingContext {
  readonly engine: Engine;
  readonly programs: ProgramFactory;
  /** Writes all changes so far. Runs before each originate, so that no party is ever rung without a stored row. */
  commit(live: LiveCall): Promise<void>;
  /** Called for a transition that the state table refuses. */
  readonly onIllegal: IllegalMove;
  /** Registers the leg, so that its later events find the call. */
  watchLeg(legId: string, callId: string): void;
  watchRecording(recordingId: string, callId: string): void;
  /** Dials the next trunk in the place of a leg that the engine refused. @returns the new leg; null if there is none */
  redial(live: LiveCall, refused: LegRow): Promise<LegRow | null>;
  /** Presents a leg as its trunk wants it. */
  present(state: CallState, leg: LegRow, callerId: CallerId): Promise<Presented>;
  /** Finds what a number of the project is bound to, if a call to it stays inside. */
  insideRoute(projectId: string, e164: string): Promise<InsideRoute>;
  /** The timers of all programs. */
  readonly timers: ProgramTimers;
  /** Sends the call's program a signal. @returns false if this process does not own the call */
  signal(callId: string, signal: ProgramSignal): boolean;
  /** Takes the call into a conference, in the call's own turn. */
  joinConference(live: LiveCall, command: JoinConferenceCommand): Promise<CommandOutcome>;
}

/** A live call in its owner process: its state, its program, and the commands that the program may give. */
export class LiveCall implements CallHost {
  /** How the call ends if the customer's leg ends unanswered, once that has been decided. */
  ending: Ending | null = null;
  announcing: Announcing | null = null;
  /** Whether a client waits until what is done now is written. */
  isAwaited = false;
  readonly recordings: CallRecordings;
  /** Places of the call's legs in its conference. */
  readonly seats: ConferenceLegs;
  readonly queue: QueuedCall;
  readonly flow: FlowCall;
  readonly message: MessagingCall = new MessagingCall(this);
  readonly ringing: Ringing;
  /** What the API plays to legs, beside the program. */
  readonly playbacks: LegPlaybacks;
  #program: CallProgram;
  /** Whether an event occurred that the program could not handle. */
  #missedEvent = false;
  /** Whether the legs belong in the call's bridge, to which a leg returns after a hold. */
  #joined = false;

  constructor(
    readonly state: CallState,
    private readonly context: LiveCallContext,
  ) {
    this.#program = context.programs(this.#saved);
    this.seats = new ConferenceLegs(context.engine);
    this.queue = new QueuedCall(this, context);
    this.playbacks = new LegPlaybacks(context.engine.media);
    this.flow = new FlowCall(this, (command) => context.joinConference(this, command));
    const parts = { engine: context.engine, clock: context.clock, commit: () => context.commit(this) };
    this.ringing = new Ringing(state, {
      ...parts,
      watchLeg: (legId, callId) => context.watchLeg(legId, callId),
      present: (leg, callerId) => context.present(state, leg, callerId),
    });
    this.recordings = new CallRecordings(state, {
      ...parts,
      watchRecording: (recordingId, callId) => context.watchRecording(recordingId, callId),
    });
  }

  get callId(): string {
    return this.state.row.id;
  }

  get program(): CallProgram {
    return this.#program;
  }

  /** Switches to another program, or resets the current one. Does not start it. */
  become(spec: ProgramSpec = this.#saved.spec): void {
    this.#program.onReplaced?.(this);
    this.context.timers.cancelAll(this.callId);
    this.state.set({
      program: { ...this.#saved, spec, state: null } satisfies SavedProgram,
      ...(spec.type === 'callflow' ? { callflow_id: spec.callflowId } : {}),
    });
    this.#program = this.context.programs(this.#saved);
  }

  async continueAs(spec: ProgramSpec): Promise<void> {
    this.become(spec);
    await this.#program.start(this);
  }

  markAnswered(): void {
    if (!this.state.isFinal && this.status !== 'answered') this.state.move('answered', this.context.clock.now());
  }

  get status(): CallStatus {
    return this.state.row.status;
  }

  get direction(): CallRow['direction'] {
    return this.state.row.direction;
  }

  /** The call's id is also its bridge's id, so the bridge can be found without storing anything. */
  get #bridgeId(): string {
    return this.callId;
  }

  /** Records that an event was not passed to the program, because this process was not allowed to command the engine. */
  markMissedEvent(): void {
    this.#missedEvent = true;
  }

  /** @returns whether the program missed an event since the last call of this method */
  takeMissedEvent(): boolean {
    const missed = this.#missedEvent;
    this.#missedEvent = false;
    return missed;
  }

  leg(role: LegRole): LegView | null {
    const leg = this.state.legOf(role);
    return leg ? viewOf(leg) : null;
  }

  /** Whether the leg is a supervisor's, who is not a party to the call. */
  isSupervisors(legId: string): boolean {
    return this.state.leg(legId)?.role === 'supervisor';
  }

  async ring(legId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.ring(legId));
  }

  async answer(legId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.answer(legId));
  }

  async dial(
    role: LegRole,
    to: Destination,
    ringTimeoutSeconds: number,
    { legId, forwardedBy }: DialledAs = {},
  ): Promise<DialOutcome> {
    const { row } = this.state;
    const isAgentsCall = this.#saved.spec.type === 'dial_out' && role === 'customer';
    const id = legId ?? newId();
    const route = await this.admit({ role, to, dialler: isAgentsCall ? diallerIn(row) : null, legId: id }, forwardedBy);
    if ('refused' in route) return route;
    const leg = newLeg(row.id, role, route, this.context.clock.now(), id);
    const agent = route.agent ?? forwardedBy?.agent ?? null;
    if (role === 'agent' && agent !== null && legId === undefined) this.state.set({ agent });
    // One of several agents is not waited for: another may be available.
    const away = legId === undefined ? 'wait' : 'refuse';
    const refused = await this.ringing.originate(leg, callerIdFor(row, leg), ringTimeoutSeconds, away);
    if (refused === null) return { legId: leg.id };
    const next = await this.context.redial(this, leg);
    return next ? { legId: next.id } : { refused };
  }

  async inside(to: Destination): Promise<InsideRoute> {
    const { row } = this.state;
    if (to.type !== 'number') return null;
    const route = await this.context.insideRoute(row.project_id, to.target);
    if (route === null) return null;
    const hops = hopsOf(row) + 1;
    const isLoop = 'program' in route && hops > MAX_HOPS;
    if ('refused' in route || isLoop) {
      this.note('leg.barred', { leg: 'agent', type: to.type, reason: isLoop ? 'loop' : 'not_bound' });
      return isLoop ? { refused: Q850.EXCHANGE_ROUTING_ERROR } : route;
    }
    this.state.set({ program: { ...this.#saved, hops } satisfies SavedProgram });
    this.note('call.forwarded_inside', { hops });
    return route;
  }

  /**
   * Routes a leg and takes it through the gate, as every leg before it is dialled.
   * @param forwardedBy the agent who forwards the call by this leg
   */
  admit(leg: WantedLeg, forwardedBy?: Diversion): ReturnType<typeof admitDialled> {
    return admitDialled(this.state, this.context, leg, forwardedBy);
  }

  forward(path: ForwardedPath, ringSeconds: number, unreached?: Unreached): Promise<ForwardStep | null> {
    return forwardCall(this.state, this.context, path, ringSeconds, unreached);
  }

  async join(legIds: readonly string[]): Promise<void> {
    await this.#bridge(legIds.filter((legId) => this.state.leg(legId)?.on_hold !== true));
  }

  /** Records that the engine still has the call's bridge from before an outage. */
  restoreBridge(): void {
    this.#joined = true;
  }

  /**
   * Plays hold music to the leg during a transfer. Not a hold that anyone asked for: the leg is not marked, and no
   * event is sent.
   */
  async park(legId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.hold(legId));
  }

  async unpark(legId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.unhold(legId));
  }

  /** Takes the customer off hold and out of the call's bridge. */
  async separateCustomer(): Promise<void> {
    this.#joined = false;
    const customer = this.state.legOf('customer');
    if (!customer) return;
    await this.unpark(customer.id);
    this.state.markLeg(customer.id, 'on_hold', false, this.context.clock.now());
  }

  /** Bridges these legs, and takes them off hold. */
  async bridgeLegs(legIds: readonly string[]): Promise<void> {
    for (const legId of legIds) {
      const leg = this.state.leg(legId);
      if (leg?.role === 'customer' || leg?.on_hold === true) await this.unpark(legId);
    }
    await this.#bridge(legIds);
    for (const legId of legIds) this.state.markLeg(legId, 'on_hold', false, this.context.clock.now());
  }

  async #bridge(legIds: readonly string[]): Promise<void> {
    const { bridges } = this.context.engine;
    await bridges.create(this.#bridgeId);
    this.#joined = true;
    for (const legId of legIds) await ignoringEndedLeg(bridges.add(this.#bridgeId, legId));
    this.note('legs.joined');
  }

  /** Plays ringback to the leg. @param playbackId identifies the playback for stopping it */
  async ringback(legId: string, playbackId: string): Promise<void> {
    const items = [{ type: 'tone', tone: 'ringback' }] as const;
    await ignoringEndedLeg(this.context.engine.media.play({ playbackId, target: { legId }, items }));
  }

  /** Holds the leg with music: neither side hears the other. */
  async hold(legId: string): Promise<void> {
    await this.context.engine.legs.hold(legId);
    this.seats.leave(legId);
    this.state.markLeg(legId, 'on_hold', true, this.context.clock.now());
  }

  async unhold(legId: string): Promise<void> {
    const { legs, bridges } = this.context.engine;
    const { conference } = this.state;
    if (conference) {
      await this.seats.take(conference, legId);
    } else {
      await legs.unhold(legId);
      if (this.#joined) await bridges.add(this.#bridgeId, legId);
    }
    this.state.markLeg(legId, 'on_hold', false, this.context.clock.now());
  }

  /** Mutes or unmutes the audio that the leg's phone sends. */
  async mute(legId: string, muted: boolean): Promise<void> {
    const { legs } = this.context.engine;
    await (muted ? legs.mute(legId) : legs.unmute(legId));
    this.state.markLeg(legId, 'muted', muted, this.context.clock.now());
  }

  async play(legId: string, items: readonly MediaItem[], loop = 1): Promise<string> {
    const playbackId = newId();
    await ignoringEndedLeg(this.context.engine.media.play({ playbackId, target: { legId }, items, loop }));
    return playbackId;
  }

  async stopPlay(playbackId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.media.stop(playbackId));
  }

  async echo(legId: string): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.echo(legId));
    this.note('echo.started');
  }

  async hangupLeg(legId: string, q850: number): Promise<void> {
    if (this.state.leg(legId)?.status !== 'ended') await ignoringEndedLeg(this.context.engine.legs.hangup(legId, q850));
  }

  async reportTransfer(legId: string, outcome: TransferOutcome): Promise<void> {
    await ignoringEndedLeg(this.context.engine.legs.reportTransfer(legId, outcome));
  }

  async end(ending: Ending): Promise<void> {
    this.ending ??= ending;
    for (const leg of this.state.legs) await this.hangupLeg(leg.id, this.ending.q850);
    // If no customer leg remains whose end event would end the call, the call ends now.
    const customer = this.state.legOf('customer');
    if (!this.state.isFinal && (!customer || customer.status === 'ended')) {
      endWith(this.state, hangupCause(this.ending.q850), this.context.clock.now(), this.ending, this.context.onIllegal);
      await this.#program.onEnded?.(this);
    }
  }

  startTimer(delayMs: number, key = ''): void {
    this.context.timers.set(this.callId, key, delayMs, () => this.context.signal(this.callId, { type: 'later', key }));
  }

  cancelTimer(key = ''): void {
    this.context.timers.cancel(this.callId, key);
  }

  emit<T extends EventType>(type: T, data: EventData<T>): void {
    this.state.emit(type, this.context.clock.now(), data);
  }

  note(type: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.state.note(type, this.context.clock.now(), data);
  }

  save(state: Readonly<Record<string, unknown>>): void {
    this.state.set({ program: { ...this.#saved, state } });
  }

  /** Records that the customer was informed of the recording. */
  noteRecordedStart(): void {
    this.state.set({ program: { ...this.#saved, announced: true } satisfies SavedProgram });
  }

  get isRecordedStartDone(): boolean {
    return this.#saved.announced === true;
  }

  get #saved(): SavedProgram {
    return this.state.row.program as SavedProgram;
  }

  /** Removes the call's bridge from the engine, after all legs have ended. */
  async cleanUp(): Promise<void> {
    if (this.state.legs.length > 1) await this.context.engine.bridges.destroy(this.#bridgeId);
  }
}
