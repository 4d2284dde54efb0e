import { Q850 } from '../../../model/call/hangup-cause.js';
import { isFinal } from '../../../model/call/call.js';
import type { Refusal, RefusalReason, RejectStatus } from '../../../model/call/refusal.js';
import { newId } from '../../../model/ids.js';
import type { CallCommand, CommandOutcome } from '../../../ports/command-bus.js';
import { EngineError } from '../../../ports/engine.js';
import type { EngineEvent, LegEvent } from '../../../ports/engine-events.js';
import type { CallDetail } from '../../../ports/call-detail.js';
import type { CallRow, RecordingRow } from '../../../data/rows.js';
import type { RecordingConsent } from '../../recordings/consent.js';
import { BrowserReturns } from '../browsers/returns.js';
import { Conferences } from '../conferences/conferences.js';
import { Monitoring } from '../monitoring/monitoring.js';
import { Adoption } from './adoption.js';
import { FinishedRecordings, type FinishedRecordingsOptions } from './finished-recordings.js';
import { CallState } from '../../call-state/call-state.js';
import type { StoredRecording } from '../../call-state/recording-rows.js';
import { applyLegEvent } from '../../call-state/apply-leg-event.js';
import type { IncomingRoutes } from '../routing/incoming.js';
import { controlLeg } from './leg-control.js';
import { refusalOfIncoming } from '../call/leg-admission.js';
import type { LiveCall } from '../call/live-call.js';
import { newLeg } from '../../call-state/new-leg.js';
import { newCallRow } from '../../call-state/new-call-row.js';
import { Origination } from '../outbound/origination.js';
import { Rerouting } from './rerouting.js';
import { RecordedStart } from './recorded-start.js';
import { startsAtOnce, type ProgramSignal } from '../../call-state/program.js';
import { PhoneTransfers } from '../transfers/phone-transfers.js';
import { Transfers } from '../transfers/transfers.js';
import { LiveCalls, type LiveCallsOptions } from '../registry/live-calls.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

export interface CallControllerOptions extends LiveCallsOptions, FinishedRecordingsOptions {
  readonly detail: CallDetail;
  readonly incoming: IncomingRoutes;
  readonly consent: RecordingConsent;
  /** Called for each incoming call that is refused before it begins, and for each that only an announcement serves. */
  readonly onRefused?: (event: IncomingEvent, refusal: Refusal) => void;
  /** Whether phones may ask for attended transfers. */
  readonly attendedTransfers?: boolean;
}

/**
 * Controls the calls of one engine, in the process that owns it. Everything that happens to a call (leg events,
 * commands, timers) goes through the call's serial executor. Each step updates the state, is committed, and is then
 * passed to the call's program.
 */
export class CallController {
  readonly #calls: LiveCalls;
  readonly #adoption: Adoption;
  readonly #recordedStart: RecordedStart;
  readonly #origination: Origination;
  readonly #transfers: Transfers;
  readonly #rerouting: Rerouting;
  readonly #phoneTransfers: PhoneTransfers;
  readonly #conferences: Conferences;
  readonly #recordings: FinishedRecordings;
  readonly #monitoring: Monitoring;
  readonly #returns: BrowserReturns;
  /** Events that arrive during adoption, before it is known which calls they belong to. */
  #waiting: EngineEvent[] | null = null;
  #draining = false;
  #closed = false;

  constructor(private readonly options: CallControllerOptions) {
    this.#calls = new LiveCalls(options);
    this.#recordedStart = new RecordedStart(options.consent);
    this.#origination = new Origination(this.#calls, options.archive);
    this.#transfers = new Transfers(this.#calls);
    this.#rerouting = new Rerouting(this.#calls, this.#transfers);
    this.#calls.redial = (live, refused) => this.#rerouting.afterRefusal(live, refused);
    this.#phoneTransfers = new PhoneTransfers(
      this.#calls,
      this.#transfers,
      options.incoming,
      options.attendedTransfers ?? false,
    );
    this.#conferences = new Conferences(this.#calls, options.consent);
    this.#recordings = new FinishedRecordings(this.#calls, this.#conferences, options);
    this.#calls.joinConference = (live, command) => this.#conferences.join(live, command);
    this.#monitoring = new Monitoring(this.#calls);
    this.#returns = new BrowserReturns(this.#calls);
    this.#calls.beforeSettle = this.#monitoring.follow;
    this.#adoption = new Adoption(
      this.#calls,
      options.archive,
      options.detail,
      this.#recordedStart,
      this.#transfers,
      this.#conferences,
      this.#returns,
    );
  }

  get liveCalls(): number {
    return this.#calls.size;
  }

  /** Number of calls that this process has taken over since it owns the engine. */
  get adoptedCalls(): number {
    return this.#adoption.adopted;
  }

  /** The row of a live call; null while this process may not command it. */
  live(callId: string): CallRow | null {
    return this.options.lease.mayCommand ? (this.#calls.get(callId)?.state.row ?? null) : null;
  }

  /** Sends the call's program a signal. @returns false if this process does not own the call */
  signal(callId: string, signal: ProgramSignal): boolean {
    return this.#calls.signal(callId, signal);
  }

  /** Handles every event of the engine, in the engine's order. */
  handle(event: EngineEvent): void {
    if (event.type === 'engine.connected') this.#waiting ??= [];
    if (!('legId' in event) && event.type !== 'recording.finished') return;
    if (this.#waiting) {
      this.#waiting.push(event);
      return;
    }
    if (event.type === 'recording.finished') {
      const callId = this.#calls.callOfRecording(event.recordingId);
      if (callId !== undefined) this.#calls.run(callId, () => this.#recordings.stopped(callId, event));
      return;
    }
    if (event.type === 'leg.incoming') {
      // Sent again to a process that starts; the call may be known already.
      if (this.#calls.callOfLeg(event.legId) !== undefined) return;
      const callId = newId();
      this.#calls.watchLeg(event.legId, callId);
      this.#calls.run(callId, async () => {
        await this.#begin(callId, event);
      });
      return;
    }
    const callId = this.#calls.callOfLeg(event.legId);
    if (callId !== undefined) this.#calls.run(callId, () => this.#onLegEvent(callId, event));
  }

  /** Executes an API command. Resolves when it is done, or with the reason why it was not. */
  async command(command: CallCommand): Promise<CommandOutcome> {
    if (!this.options.lease.mayCommand) return { result: 'not_controllable' };
    try {
      switch (command.type) {
        case 'place':
          // The client does not wait until the phone rings; the call's own events report the outcome.
          this.#calls.run(command.callId, () => this.#origination.place(command.callId));
          return { result: 'done' };
        case 'call_in':
          return await this.#callIn(command);
        case 'control':
          return await this.#withCall(command.callId, async (live) => {
            const outcome = await controlLeg(this.options, live, command);
            await this.#conferences.greet(live);
            return outcome;
          });
        case 'transfer':
          return await this.#withCall(command.callId, (live) => this.#transfers.begin(live, command));
        case 'finish_transfer':
          return await this.#withCall(command.callId, (live) => this.#transfers.finish(live, command));
        case 'monitor':
          return await this.#withCall(command.callId, (live) => this.#monitoring.begin(live, command));
        case 'stop_monitor':
          return await this.#withCall(command.callId, (live) => this.#monitoring.stop(live, command));
        case 'browser_left':
          return await this.#withCall(command.callId, (live) => this.#returns.left(live, command));
        case 'browser_back':
          return await this.#withCall(command.callId, (live) => this.#returns.back(live, command));
        case 'join_conference':
          return await this.#withCall(command.callId, (live) => this.#conferences.join(live, command));
        case 'end_conference':
          return await this.#conferences.end(command);
        case 'play_to_conference':
          return await this.#conferences.play(command);
        case 'stop_playing_to_conference':
          return await this.#conferences.stopPlaying(command.conferenceId);
        case 'record_conference':
          return await this.#conferences.record(command);
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.kind === 'unreachable') return { result: 'not_controllable' };
      return { result: 'engine_refused', kind: error.kind, message: error.message };
    }
  }

  /**
   * Takes over calls that were live before this process owned the engine, or that continued while the engine was
   * unreachable.
   * @param diedAt when the engine was last reached before it restarted; null if it did not restart
   */
  async adopt(diedAt: Date | null = null): Promise<void> {
    this.#waiting ??= [];
    try {
      await this.#adoption.takeOver((legId) => this.#isAnnounced(legId), diedAt);
    } finally {
      const waiting = this.#waiting;
      this.#waiting = null;
      for (const event of waiting) this.handle(event);
      this.options.onRecorded();
    }
  }

  /** Whether the leg is of an incoming call that is handled after adoption. */
  #isAnnounced(legId: string): boolean {
    return this.#waiting?.some((event) => event.type === 'leg.incoming' && event.legId === legId) ?? false;
  }

  /** Ends all calls, because the engine did not come back in time. @param reachedAt when it was last reached */
  giveUp(reachedAt: Date | null): Promise<void> {
    return this.#adoption.giveUp(reachedAt);
  }

  /** Originates calls that were placed while no process was listening. */
  async sweep(): Promise<void> {
    for (const callId of await this.options.archive.unplaced(this.options.engineId)) {
      if (!this.#calls.get(callId)) this.#calls.run(callId, () => this.#origination.place(callId));
    }
  }

  /** Sets whether incoming calls are refused because the engine is being drained. Emergency calls never are. */
  close(closed: boolean): void {
    this.#closed = closed;
  }

  /**
   * Accepts no new calls. Resolves when the last live call is over or the time is up, with the number of calls that
   * remain.
   */
  async drain(waitMs: number): Promise<number> {
    this.#draining = true;
    await this.#calls.empty(waitMs);
    return this.#calls.size;
  }

  /** Hangs up all live calls and waits, up to the limit, until their ends are stored. */
  async endAll(limitMs: number): Promise<void> {
    for (const live of this.#calls.all()) {
      this.#calls.run(live.callId, () =>
        live.end({ q850: Q850.TEMPORARY_FAILURE, status: 'failed', disposition: 'failed' }),
      );
    }
    await this.#calls.empty(limitMs);
  }

  /** Resolves when all serial executors are empty. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }

  /** Cancels all timers. Resolves when everything is written. */
  stop(): Promise<void> {
    this.#returns.stop();
    return this.#calls.stop();
  }

  /** Lets a simulated caller come in. Resolves when the call has begun, or was refused. */
  async #callIn(command: Extract<CallCommand, { type: 'call_in' }>): Promise<CommandOutcome> {
    const { callId, projectId, from, to, digits, hangUpAfterSeconds, metadata, requestId, actor } = command;
    const event = this.options.engine.enter?.({
      legId: newId(),
      source: { type: 'trunk', trunkId: projectId },
      dialled: to,
      callerId: { number: from, name: null },
      digits,
      hangsUpAfterMs: hangUpAfterSeconds * 1000,
    });
    if (!event) return { result: 'not_controllable' };
    this.#calls.watchLeg(event.legId, callId);
    const facts = { metadata, request_id: requestId, created_by_key: actor };
    const refusal = await this.#calls.post(callId, () => this.#begin(callId, event, facts));
    if (refusal === null) return { result: 'done' };
    return { result: refusal === 'caller_blocked' ? 'caller_blocked' : 'no_route' };
  }

  /** @returns null, or why the call was refused */
  async #begin(
    callId: string,
    event: IncomingEvent,
    facts: Partial<Pick<CallRow, 'metadata' | 'request_id' | 'created_by_key'>> = {},
  ): Promise<RefusalReason | null> {
    const { engine, engineId, incoming, lease } = this.options;
    const hangUp = async (q850: number): Promise<void> => {
      await engine.legs.hangup(event.legId, q850);
      this.#calls.forgetLeg(event.legId);
    };
    const reject = async (status: RejectStatus): Promise<void> => {
      await engine.legs.reject(event.legId, status);
      this.#calls.forgetLeg(event.legId);
    };
    const refuse = async (refusal: Refusal): Promise<RefusalReason> => {
      this.options.onRefused?.(event, refusal);
      await (refusal.sipStatus === undefined ? hangUp(refusal.refuse) : reject(refusal.sipStatus));
      return refusal.reason;
    };
    const origin = event.source.type === 'inside' ? this.#calls.originOf(event.source.legId) : null;
    if (event.source.type === 'inside' && !origin) {
      // The call that it came from ended meanwhile.
      await hangUp(Q850.NORMAL_CLEARING);
      return null;
    }
    // A call inside belongs to one that is live here already.
    const turnedAway = (this.#draining || this.#closed) && !origin && !this.options.incoming.isEmergency(event);
    if (turnedAway) return refuse({ refuse: Q850.SWITCH_CONGESTION, reason: 'draining' });
    if (!lease.mayCommand) return refuse({ refuse: Q850.SWITCH_CONGESTION, reason: 'unavailable' });
    const decided = await incoming.route(event, origin);
    if ('refuse' in decided) return refuse(decided);
    const notAdmitted = await refusalOfIncoming(this.options.gate, decided.call, decided.leg);
    if (notAdmitted) return refuse(notAdmitted);
    if (decided.turnedAway) this.options.onRefused?.(event, decided.turnedAway);
    const { at, legId } = event;
    const state = new CallState(newCallRow({ ...decided.call, ...facts, id: callId, engine_id: engineId }), []);
    state.addLeg(newLeg(callId, decided.role, decided.leg, at, legId));
    state.emit('call.initiated', at, {});
    state.moveLeg(legId, 'ringing', at);
    // A call's status follows its customer: a call made by an agent rings when the customer's phone does.
    if (decided.role === 'customer') state.move('ringing', at);
    const live = this.#calls.enter(state);
    await this.#calls.commit(live);
    await live.program.start(live);
    await this.#calls.settle(live);
    return null;
  }

  /** Runs an action on a live call, in the call's turn. */
  #withCall(callId: string, act: (live: LiveCall) => Promise<CommandOutcome>): Promise<CommandOutcome> {
    return this.#calls.post(callId, async () => {
      const live = this.#calls.get(callId);
      if (!live) {
        const call = await this.options.archive.find(callId);
        return { result: call && !isFinal(call.status) ? 'not_controllable' : 'not_active' };
      }
      live.isAwaited = true;
      try {
        return await act(live);
      } finally {
        await this.#calls.settle(live).finally(() => (live.isAwaited = false));
      }
    });
  }

  async #onLegEvent(callId: string, received: LegEvent): Promise<void> {
    const live = this.#calls.get(callId);
    if (!live) {
      if (received.type === 'leg.ended') this.#calls.forgetLeg(received.legId);
      return;
    }
    const event = this.#calls.explained(live, received);
    if (await this.#rerouting.takes(live, event)) {
      await this.#calls.settle(live);
      return;
    }
    const before = live.status;
    applyLegEvent(live.state, event, live.ending, this.#calls.onIllegal);
    await this.#calls.commit(live);
    const isCustomersAnswer = before !== 'answered' && live.status === 'answered';
    // Without the lease another process may be commanding this call. When this process holds the lease again, adoption
    // handles what was missed.
    if (live.isSupervisors(event.legId)) {
      if (event.type === 'leg.transfer_requested') await this.#monitoring.decline(live, event.legId);
    } else if (this.options.lease.mayCommand) {
      if (event.type === 'leg.transfer_requested') await this.#phoneTransfers.requested(live, event);
      else if (isCustomersAnswer) await this.#recordedStart.begin(live, () => this.#answered(live, event));
      else if (!(await this.#isTaken(live, event))) await this.#transfers.show(live, event);
    } else {
      live.markMissedEvent();
    }
    await this.#calls.settle(live);
  }

  /** Whether something other than a transfer or the call's program handled the event. */
  async #isTaken(live: LiveCall, event: LegEvent): Promise<boolean> {
    if (await this.#recordedStart.takes(live, event)) return true;
    return (await this.#conferences.takes(live, event)) || this.#returns.takes(live, event);
  }

  #answered(live: LiveCall, event: LegEvent): Promise<void> {
    return startsAtOnce(live.state.row) ? live.program.onLegEvent(live, event) : this.#startOutbound(live, event.legId);
  }

  /** As {@link FinishedRecordings.stored}. */
  finishRecording(recording: RecordingRow, kept: StoredRecording | null): Promise<void> {
    return this.#recordings.stored(recording, kept);
  }

  async #startOutbound(live: LiveCall, legId: string): Promise<void> {
    const digits = live.state.row.options.send_digits;
    if (digits !== null) {
      await this.options.engine.legs.sendDtmf(legId, digits);
      live.note('control.dtmf', { digits_count: digits.replaceAll('w', '').length });
    }
    await live.program.start(live);
  }
}
