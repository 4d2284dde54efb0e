import { Q850 } from '../../../model/call/hangup-cause.js';
import type { CallRow, LegRow } from '../../../data/rows.js';
import type { CallerId } from '../../../model/call/caller-id.js';
import type { TrunkOffer } from '../../../model/trunks/choice.js';
import type { Clock, Timer } from '../../../ports/clock.js';
import { EngineError, type Engine, type LegEndpoint } from '../../../ports/engine.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { Logger } from '../../../ports/logger.js';
import type { Routing } from '../../routing/destinations.js';
import type { Presented, TrunkUse } from '../../trunks/trunk-use.js';
import type { CallState } from '../../call-state/call-state.js';
import { presentChanges } from '../../call-state/presenting/events.js';
import { withTrunkFault } from '../../call-state/trunk-fault.js';
import { CallMeter, type MeteredCredit } from './call-meter.js';
import type { Committer } from '../journal/committer.js';
import type { AdmissionContext } from '../call/leg-admission.js';
import { LiveCall, type LiveCallContext } from '../call/live-call.js';
import { SerialExecutor } from '../../runtime/serial-executor.js';
import { ProgramTimers } from '../call/program-timers.js';
import type { AgentForwarding } from '../routing/forwarding.js';
import type { IncomingRoutes, InsideOrigin } from '../routing/incoming.js';
import { hopsOf, type InsideRoute, type ProgramFactory, type ProgramSignal } from '../../call-state/program.js';

export interface CallMetrics {
  illegalMove(from: string, to: string): void;
  finished(call: CallRow, legs: readonly LegRow[]): void;
  live(calls: number): void;
}

export interface LiveCallsOptions {
  readonly engineId: string;
  readonly engine: Engine;
  /** The right to command the engine; `epoch` is null once it is lost. */
  readonly lease: { readonly epoch: number | null; readonly mayCommand: boolean };
  readonly committer: Pick<Committer, 'commit'>;
  readonly routing: Routing;
  readonly incoming: Pick<IncomingRoutes, 'insideRoute'>;
  /** Absent if no call is forwarded. */
  readonly forwarding?: AgentForwarding;
  /** Admits every leg that is dialled. */
  readonly gate: AdmissionContext['gate'];
  readonly programs: ProgramFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CallMetrics;
  /** Whether a trunk leaves probes unanswered. Default: no trunk does. */
  readonly isTrunkDown?: (trunkId: string) => boolean;
  /** Absent if trunks have no limits and no rules of their own, as in the sandbox. */
  readonly trunkUse?: Pick<TrunkUse, 'take' | 'present'>;
  /** The credit of prepaid calls; absent if calls are not charged. */
  readonly credit?: MeteredCredit;
  /** Called after ended recordings were stored as due for storage of their audio. */
  readonly onRecorded: () => void;
}

/** The calls that this process owns, each with its serial executor, and the index of their legs and recordings. */
export class LiveCalls implements LiveCallContext {
  readonly #live = new Map<string, LiveCall>();
  readonly #callOfLeg = new Map<string, string>();
  readonly #callOfRecording = new Map<string, string>();
  readonly #executor = new SerialExecutor();
  readonly #guards = new Map<string, Timer>();
  readonly timers: ProgramTimers;
  readonly #meter: CallMeter;
  /** Called after each write of a call's conference. */
  onWritten: (state: CallState) => void = () => undefined;
  joinConference: LiveCallContext['joinConference'] = () => Promise.resolve({ result: 'not_controllable' });
  redial: LiveCallContext['redial'] = () => Promise.resolve(null);
  /** Called before each settling of a call, that is, after every event. */
  beforeSettle: (live: LiveCall) => Promise<void> = () => Promise.resolve();
  readonly #whenEmpty = new Set<() => void>();

  constructor(readonly options: LiveCallsOptions) {
    this.timers = new ProgramTimers(options.clock);
    this.#meter = new CallMeter(options.credit ?? null, this);
  }

  get engine(): Engine {
    return this.options.engine;
  }

  get routing(): Routing {
    return this.options.routing;
  }

  /** Names the trunk as the reason for the end of a leg, if it is; see {@link withTrunkFault}. */
  explained<Event extends LegEvent>(live: LiveCall, event: Event): Event {
    return withTrunkFault(live.state.leg(event.legId), event, this.options.isTrunkDown ?? (() => false));
  }

  async takeTrunk(legId: string, offers: readonly TrunkOffer[]): Promise<TrunkOffer | null> {
    const { trunkUse, isTrunkDown = () => false } = this.options;
    return trunkUse ? trunkUse.take(legId, offers, isTrunkDown) : (offers[0] ?? null);
  }

  /** A call that came in, and that a binding or call flow connects with a number outside, is forwarded by its line. */
  async present({ row }: CallState, { endpoint, role }: LegRow, callerId: CallerId): Promise<Presented> {
    const { trunkUse } = this.options;
    const dialled = endpoint as LegEndpoint;
    if (!trunkUse || dialled.type !== 'trunk' || dialled.aor !== undefined) return { endpoint: dialled, callerId };
    const line = row.direction === 'inbound' && role === 'agent' ? row.line_number : null;
    const diversion = dialled.diversion ?? (line !== null && { number: line, case: 'always' as const });
    return trunkUse.present({ ...dialled, ...(diversion && { diversion }) }, row.project_id, callerId);
  }

  get gate(): LiveCallsOptions['gate'] {
    return this.options.gate;
  }

  get forwarding(): AgentForwarding | undefined {
    return this.options.forwarding;
  }

  insideRoute(projectId: string, e164: string): Promise<InsideRoute> {
    return this.options.incoming.insideRoute(projectId, e164);
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get programs(): ProgramFactory {
    return this.options.programs;
  }

  get size(): number {
    return this.#live.size;
  }

  get(callId: string): LiveCall | undefined {
    return this.#live.get(callId);
  }

  all(): readonly LiveCall[] {
    return [...this.#live.values()];
  }

  callOfLeg(legId: string): string | undefined {
    return this.#callOfLeg.get(legId);
  }

  /** Returns what a call inside takes over from the leg that it comes from; null if that leg's call is over. */
  originOf(legId: string): InsideOrigin | null {
    const state = this.#live.get(this.#callOfLeg.get(legId) ?? '')?.state;
    const leg = state?.leg(legId);
    return state && leg ? { billable: leg.billable, hops: hopsOf(state.row) } : null;
  }

  watchLeg(legId: string, callId: string): void {
    this.#callOfLeg.set(legId, callId);
  }

  forgetLeg(legId: string): void {
    this.#callOfLeg.delete(legId);
  }

  callOfRecording(recordingId: string): string | undefined {
    return this.#callOfRecording.get(recordingId);
  }

  watchRecording(recordingId: string, callId: string): void {
    this.#callOfRecording.set(recordingId, callId);
  }

  /** Registers a call that this process now owns. */
  enter(state: CallState): LiveCall {
    const live = new LiveCall(state, this);
    this.#live.set(live.callId, live);
    this.options.metrics.live(this.#live.size);
    return live;
  }

  signal(callId: string, signal: ProgramSignal): boolean {
    const { lease } = this.options;
    if (!lease.mayCommand || !this.#live.has(callId)) return false;
    this.run(callId, async () => {
      const live = this.#live.get(callId);
      // Without the lease another process may be commanding this call, and takes it over in its current state.
      if (!live || live.state.isFinal || !lease.mayCommand) return;
      const isElsewhere = live.state.conference !== null || live.state.transfer !== undefined;
      await live.program.onSignal?.(live, isElsewhere ? { type: 'taken_away' } : signal);
      await this.settle(live);
    });
    return true;
  }

  /** Runs a task in the call's turn. */
  post<T>(callId: string, task: () => Promise<T>): Promise<T> {
    return this.#executor.post(callId, task);
  }

  /**
   * Runs a task in the call's turn without waiting for it. If it fails, the call ends, except while the engine is
   * unreachable.
   */
  run(callId: string, task: () => Promise<void>): void {
    const watched = async (): Promise<void> => {
      try {
        await task();
      } catch (error) {
        this.logFailure(callId, error);
        const live = this.#live.get(callId);
        if (!live) return;
        // Adoption catches up when the engine is back.
        if (this.#isAway(error)) live.markMissedEvent();
        else this.#abandon(live);
      }
    };
    void this.post(callId, watched);
  }

  /** A command in flight when the connection broke is reported as a timeout. */
  #isAway(error: unknown): boolean {
    if (!(error instanceof EngineError)) return false;
    if (error.kind === 'unreachable') return true;
    const isUnanswered = error.kind === 'timeout' || error.kind === 'indeterminate';
    return isUnanswered && this.options.engine.status.status !== 'up';
  }

  commit(live: LiveCall): Promise<void> {
    return this.write(live.state, live.isAwaited);
  }

  /** Writes the changes of a live or ended call. @param isAwaited a client waits for them */
  async write(state: CallState, isAwaited = false): Promise<void> {
    const changes = state.takeChanges();
    const { engineId, lease, committer } = this.options;
    if (!changes || lease.epoch === null) return;
    await committer.commit({ fence: { engineId, epoch: lease.epoch }, ...presentChanges(changes) }, isAwaited);
    if (changes.recordings.some(({ status }) => status === 'stopped')) this.options.onRecorded();
    if (changes.conferences.length > 0) this.onWritten(state);
  }

  /** Writes the remaining changes, and forgets the call if it is over. */
  async settle(live: LiveCall): Promise<void> {
    await this.beforeSettle(live);
    await this.commit(live);
    if (!live.state.isFinal) this.#meter.update(live);
    if (!live.state.isDone || !this.#live.delete(live.callId)) return;
    this.guard(live.callId, null);
    this.timers.cancelAll(live.callId);
    this.#meter.forget(live);
    for (const leg of live.state.legs) this.forgetLeg(leg.id);
    for (const recording of live.state.recordings) this.#callOfRecording.delete(recording.id);
    this.options.metrics.finished(live.state.row, live.state.legs);
    this.options.metrics.live(this.#live.size);
    if (this.#live.size === 0) for (const resolve of this.#whenEmpty) resolve();
    await live.cleanUp();
  }

  /** Sets the call's guard timer, replacing any other. It is cancelled when the call ends. */
  guard(callId: string, timer: Timer | null): void {
    this.#guards.get(callId)?.cancel();
    if (timer) this.#guards.set(callId, timer);
    else this.#guards.delete(callId);
  }

  /** Resolves when no call is live, or when the time is up. */
  async empty(waitMs: number): Promise<void> {
    if (this.#live.size === 0 || waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#whenEmpty.delete(done);
        resolve();
      };
      const timer = this.clock.after(waitMs, done);
      this.#whenEmpty.add(done);
    });
  }

  /** Resolves when all serial executors are empty. */
  idle(): Promise<void> {
    return this.#executor.idle();
  }

  /** Cancels all timers. Resolves when everything is written. */
  async stop(): Promise<void> {
    for (const callId of [...this.#guards.keys()]) this.guard(callId, null);
    this.timers.stop();
    this.#meter.stop();
    await this.idle();
  }

  logFailure(id: string, error: unknown): void {
    this.options.log.error({ id, err: error }, 'handling a call failed');
  }

  readonly onIllegal = (from: string, to: string): void => {
    this.options.metrics.illegalMove(from, to);
    this.options.log.error({ from, to }, 'an illegal call state transition was refused');
  };

  /** Ends a call whose program failed, so that the parties are not left in silence. */
  #abandon(live: LiveCall): void {
    live.note('program.fault');
    this.post(live.callId, async () => {
      await live.end({ q850: Q850.TEMPORARY_FAILURE, status: 'failed', disposition: 'failed' });
      await this.settle(live);
    }).catch((error: unknown) => this.logFailure(live.callId, error));
  }
}
