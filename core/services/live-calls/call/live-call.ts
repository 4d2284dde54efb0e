import type { CallRow } from '../../../data/rows.js';
import type { CallStatus, LegRole } from '../../../model/call/call.js';
import type { Destination } from '../../../model/call/destinations.js';
import type { EventData, EventType } from '../../../model/events/index.js';
import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { CommandOutcome, JoinConferenceCommand } from '../../../ports/command-bus.js';
import type { Engine, MediaItem, TransferOutcome } from '../../../ports/engine.js';
import type { Clock } from '../../../ports/clock.js';
import { ConferenceLegs } from './seats.js';
import { FlowCall } from './flow-call.js';
import { QueuedCall } from './queued-call.js';
import { MessagingCall } from './messaging-call.js';
import type { Routing } from '../../routing/destinations.js';
import type { CallHost } from './call-host.js';
import type { CallState } from '../../call-state/call-state.js';
import { CallRecordings } from './call-recordings.js';
import { endWith, type IllegalMove } from '../../call-state/apply-leg-event.js';
import { ifAlive } from './if-alive.js';
import type {
  CallProgram,
  DialOutcome,
  Ending,
  LegView,
  ProgramFactory,
  ProgramSignal,
  ProgramSpec,
  SavedProgram,
} from '../../call-state/program.js';
import type { ProgramTimers } from './program-timers.js';
import { newLeg } from '../../call-state/new-leg.js';
import { callerIdFor, Ringing } from './ringing.js';

/** The call waits until its customer has heard that it is recorded. */
export interface Announcing {
  readonly playbackId: string;
  readonly items: readonly MediaItem[];
  /** What the call does then. */
  goOn(): Promise<void>;
}

/** What a live call needs of its surroundings. */
export interface LiveCallContext {
  readonly engine: Engine;
  readonly routing: Routing;
  readonly clock: Clock;
  readonly programs: ProgramFactory;
  /** Write what has changed so far; before an originate, so that no party is ever rung without a trace. */
  commit(live: LiveCall): Promise<void>;
  /** A move that the table of states refuses. */
  readonly onIllegal: IllegalMove;
  /** Lets the call's later events find it by the leg. */
  watchLeg(legId: string, callId: string): void;
  watchRecording(recordingId: string, callId: string): void;
  /** What programs want to be told later. */
  readonly timers: ProgramTimers;
  /** Tells the call's program what no leg tells. @returns false where the call is not in these hands */
  signal(callId: string, signal: ProgramSignal): boolean;
  /** Take the call into a conference, in its own mailbox. */
  joinConference(live: LiveCall, command: JoinConferenceCommand): Promise<CommandOutcome>;
}

/** A call in the hands of its owner: its record, its program, and the commands that the program may give. */
export class LiveCall implements CallHost {
  /** How the call ends when the customer's leg ends before an answer, once somebody has decided it. */
  ending: Ending | null = null;
  announcing: Announcing | null = null;
  readonly recordings: CallRecordings;
  /** Of the legs in the call's conference. */
  readonly seats: ConferenceLegs;
  readonly queue: QueuedCall;
  readonly flow: FlowCall;
  readonly message: MessagingCall = new MessagingCall(this);
  readonly ringing: Ringing;
  #program: CallProgram;
  /** Something happened to which the program could not act. */
  #missed = false;
  /** Whether the legs are to be in the call's bridge: a leg that comes back from hold goes there. */
  #joined = false;
  /** What the API had played, by leg. */
  readonly #played = new Map<string, Set<string>>();

  constructor(
    readonly state: CallState,
    private readonly context: LiveCallContext,
  ) {
    this.#program = context.programs(this.#saved);
    this.seats = new ConferenceLegs(context.engine);
    this.queue = new QueuedCall(this, context);
    this.flow = new FlowCall(this, (command) => context.joinConference(this, command));
    this.ringing = new Ringing(state, {
      engine: context.engine,
      clock: context.clock,
      commit: () => context.commit(this),
      watchLeg: (legId, callId) => context.watchLeg(legId, callId),
    });
    this.recordings = new CallRecordings(state, {
      engine: context.engine,
      clock: context.clock,
      commit: () => context.commit(this),
      watchRecording: (recordingId, callId) => context.watchRecording(recordingId, callId),
    });
  }

  get callId(): string {
    return this.state.row.id;
  }

  get program(): CallProgram {
    return this.#program;
  }

  /** Go on as another program, or as the same from its beginning. It is not started by this. */
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

  /** The call's bridge has the call's own id, so that it is found again without being noted anywhere. */
  get #bridgeId(): string {
    return this.callId;
  }

  /** The program was not shown what happened: the engine might not be commanded then. */
  miss(): void {
    this.#missed = true;
  }

  /** @returns whether the program missed something since the last call of this method. */
  takeMissed(): boolean {
    const missed = this.#missed;
    this.#missed = false;
    return missed;
  }

  leg(role: LegRole): LegView | null {
    const leg = this.state.legOf(role);
    return leg ? { legId: leg.id, role: leg.role, status: leg.status, hangupQ850: leg.hangup_q850 } : null;
  }

  /** Whether the leg is of nobody whom the call is about. */
  isSupervisors(legId: string): boolean {
    return this.state.leg(legId)?.role === 'supervisor';
  }

  async ring(legId: string): Promise<void> {
    await ifAlive(this.context.engine.legs.ring(legId));
  }

  async answer(legId: string): Promise<void> {
    await ifAlive(this.context.engine.legs.answer(legId));
  }

  async dial(role: LegRole, to: Destination, ringTimeoutSeconds: number, legId?: string): Promise<DialOutcome> {
    const { row } = this.state;
    const route = await this.context.routing.routeTo(row.project_id, to);
    if (!route) {
      this.note('leg.no_route', { leg: role, type: to.type });
      return { refused: Q850.NO_ROUTE_DESTINATION };
    }
    const leg = newLeg(row.id, role, route, this.context.clock.now(), legId);
    if (role === 'agent' && route.agent !== null && legId === undefined) this.state.set({ agent: route.agent });
    // One among several is not waited for: another may be had.
    const away = legId === undefined ? 'wait' : 'refuse';
    const refused = await this.ringing.originate(leg, callerIdFor(row, leg), ringTimeoutSeconds, away);
    return refused === null ? { legId: leg.id } : { refused };
  }

  async join(legIds: readonly string[]): Promise<void> {
    await this.#bridge(legIds.filter((legId) => this.state.leg(legId)?.on_hold !== true));
  }

  /** The engine has the call's bridge from before: the application was away meanwhile. */
  foundJoined(): void {
    this.#joined = true;
  }

  /** The leg hears music while a transfer goes on: not a hold that anybody asked for, or is told of. */
  async park(legId: string): Promise<void> {
    await ifAlive(this.context.engine.legs.hold(legId));
  }

  async unpark(legId: string): Promise<void> {
    await ifAlive(this.context.engine.legs.unhold(legId));
  }

  /** The customer, who is parked, or on hold, is with nobody any more. */
  async part(): Promise<void> {
    this.#joined = false;
    const customer = this.state.legOf('customer');
    if (!customer) return;
    await this.unpark(customer.id);
    this.state.markLeg(customer.id, 'on_hold', false, this.context.clock.now());
  }

  /** These legs, and nobody else who is parked, talk to each other: whoever of them is parked or on hold comes back. */
  async unite(legIds: readonly string[]): Promise<void> {
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
    for (const legId of legIds) await ifAlive(bridges.add(this.#bridgeId, legId));
    this.note('legs.joined');
  }

  /** What is heard while another phone rings. @param playbackId to stop it by */
  async ringback(legId: string, playbackId: string): Promise<void> {
    const items = [{ type: 'tone', tone: 'ringback' }] as const;
    await ifAlive(this.context.engine.media.play({ playbackId, target: { legId }, items }));
  }

  /** Park the leg with music: nobody hears the other. */
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

  /** What the leg's phone sends is heard by nobody, or again. */
  async mute(legId: string, muted: boolean): Promise<void> {
    const { legs } = this.context.engine;
    await (muted ? legs.mute(legId) : legs.unmute(legId));
    this.state.markLeg(legId, 'muted', muted, this.context.clock.now());
  }

  /** Play beside whatever the program does; {@link stopPlayed} ends it. */
  async playBeside(legId: string, items: readonly MediaItem[], loop: number): Promise<void> {
    const playbackId = newId();
    await this.context.engine.media.play({ playbackId, target: { legId }, items, loop });
    const of = this.#played.get(legId) ?? new Set();
    this.#played.set(legId, of.add(playbackId));
  }

  async stopPlayed(legId: string): Promise<void> {
    for (const playbackId of this.#played.get(legId) ?? []) await this.stopPlay(playbackId);
    this.#played.delete(legId);
  }

  async play(legId: string, items: readonly MediaItem[], loop = 1): Promise<string> {
    const playbackId = newId();
    await ifAlive(this.context.engine.media.play({ playbackId, target: { legId }, items, loop }));
    return playbackId;
  }

  async stopPlay(playbackId: string): Promise<void> {
    await ifAlive(this.context.engine.media.stop(playbackId));
  }

  async echo(legId: string): Promise<void> {
    await ifAlive(this.context.engine.legs.echo(legId));
    this.note('echo.started');
  }

  async hangupLeg(legId: string, q850: number): Promise<void> {
    if (this.state.leg(legId)?.status !== 'ended') await ifAlive(this.context.engine.legs.hangup(legId, q850));
  }

  async tellTransfer(legId: string, outcome: TransferOutcome): Promise<void> {
    await ifAlive(this.context.engine.legs.reportTransfer(legId, outcome));
  }

  async end(ending: Ending): Promise<void> {
    this.ending ??= ending;
    for (const leg of this.state.legs) await this.hangupLeg(leg.id, this.ending.q850);
    // Where no customer's leg is left whose end could tell it, the call is over now.
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

  /** The customer knows that the call is recorded. */
  noteRecordedStart(): void {
    this.state.set({ program: { ...this.#saved, announced: true } satisfies SavedProgram });
  }

  get isRecordedStartDone(): boolean {
    return this.#saved.announced === true;
  }

  get #saved(): SavedProgram {
    return this.state.row.program as SavedProgram;
  }

  /** Removes the call's bridge from the engine; legs are gone by then. */
  async cleanUp(): Promise<void> {
    if (this.state.legs.length > 1) await this.context.engine.bridges.destroy(this.#bridgeId);
  }
}
