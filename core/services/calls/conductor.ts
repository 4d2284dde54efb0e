import { hangupCause } from '../../model/hangup-cause.js';
import { newId } from '../../model/ids.js';
import type { CallCommand, CommandOutcome } from '../../ports/command-bus.js';
import type { Clock, Timer } from '../../ports/clock.js';
import { EngineError, type Engine, type EngineEvent, type LegEvent } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import type { CallRow, LegRow } from '../../data/rows.js';
import type { Routing } from '../routing/destinations.js';
import { CallRecord } from './call-record.js';
import type { Committer } from './committer.js';
import { endWith, follow } from './follow.js';
import type { IncomingRouter } from './incoming.js';
import { LiveCall, newLeg, type LiveCallContext } from './live-call.js';
import { Mailbox } from './mailbox.js';
import type { ProgramFactory, SavedProgram } from './program.js';

/** The calls as they were written down. */
export interface CallArchive {
  find(callId: string): Promise<{ readonly call: CallRow; readonly legs: readonly LegRow[] } | null>;
  /** Calls of the engine that are not over, or have legs that are not. */
  unfinished(engineId: string): Promise<readonly { readonly call: CallRow; readonly legs: readonly LegRow[] }[]>;
}

export interface CallMetrics {
  illegalMove(from: string, to: string): void;
  finished(call: CallRow): void;
  live(calls: number): void;
}

export interface ConductorOptions {
  readonly engineId: string;
  readonly engine: Engine;
  /** The right to command the engine; `epoch` is null once it is lost. */
  readonly lease: { readonly epoch: number | null; readonly mayCommand: boolean };
  readonly committer: Committer;
  readonly archive: CallArchive;
  readonly routing: Routing;
  readonly incoming: IncomingRouter;
  readonly programs: ProgramFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CallMetrics;
}

/** A placed call that its owner finds later than this is not rung any more: nobody wants a call from the past. */
const STALE_AFTER_MS = 15_000;
/** An outbound leg that has neither rung nor ended this long after its ring timeout is given up. */
const SETUP_GRACE_MS = 15_000;

/**
 * Conducts the calls of one engine in the process that owns it: everything that happens to a call (events of its legs, commands, timers)
 * goes through its mailbox, one after another; each advances the record, is committed, and is then shown to the call's program.
 */
export class Conductor implements LiveCallContext {
  readonly #live = new Map<string, LiveCall>();
  readonly #callOfLeg = new Map<string, string>();
  readonly #mailbox = new Mailbox();
  readonly #guards = new Map<string, Timer>();
  /** Events that arrive while it is being found out which calls they belong to. */
  #waiting: EngineEvent[] | null = null;
  #draining = false;
  #whenEmpty: (() => void) | null = null;

  constructor(private readonly options: ConductorOptions) {}

  get engine(): Engine {
    return this.options.engine;
  }

  get routing(): Routing {
    return this.options.routing;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  /** Takes every event of the engine's legs, in the order in which the engine told them. */
  handle(event: EngineEvent): void {
    if (event.type === 'engine.connected') this.#waiting ??= [];
    if (!('legId' in event)) return;
    if (this.#waiting) {
      this.#waiting.push(event);
      return;
    }
    if (event.type === 'leg.incoming') {
      const callId = newId();
      this.watchLeg(event.legId, callId);
      this.#run(callId, () => this.#begin(callId, event));
      return;
    }
    const callId = this.#callOfLeg.get(event.legId);
    if (callId === undefined) return;
    this.#run(callId, () => this.#onLegEvent(callId, event));
  }

  /** Carries out a command of the API. Resolves when it is done, or says why not. */
  async command(command: CallCommand): Promise<CommandOutcome> {
    if (!this.options.lease.mayCommand) return { result: 'not_controllable' };
    try {
      switch (command.type) {
        case 'place':
          // The caller does not wait until the phone rings; what becomes of it is told by the call itself.
          this.#run(command.callId, () => this.#place(command.callId));
          return { result: 'done' };
        case 'hangup':
          return await this.#mailbox.post(command.callId, () => this.#hangup(command));
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.kind === 'unreachable') return { result: 'not_controllable' };
      return { result: 'engine_refused', kind: error.kind, message: error.message };
    }
  }

  /** Take over calls that were live before this process owned the engine, or that went on while the engine was unreachable. */
  async adopt(): Promise<void> {
    this.#waiting ??= [];
    try {
      await this.#takeOver();
    } finally {
      const waiting = this.#waiting;
      this.#waiting = null;
      for (const event of waiting) this.handle(event);
    }
  }

  async #takeOver(): Promise<void> {
    const connectedAt = this.clock.now();
    const snapshot = await this.engine.list();
    const alive = new Map(snapshot.legs.map((leg) => [leg.legId, leg]));
    for (const { call, legs } of await this.options.archive.unfinished(this.options.engineId)) {
      if (!this.#live.has(call.id) && call.originating_at === null && legs.length === 0) continue;
      for (const leg of legs) if (leg.status !== 'ended') this.watchLeg(leg.id, call.id);
      this.#run(call.id, () => this.#reconcile(call, legs, alive));
    }
    for (const leg of snapshot.legs) {
      if (this.#callOfLeg.has(leg.legId) || leg.createdAt > connectedAt) continue;
      // Nobody's: its call is over, or its process died before it was written down. Left alone it would cost money for ever.
      this.options.log.warn({ legId: leg.legId }, 'a leg that belongs to no call is hung up');
      await this.engine.legs.hangup(leg.legId, 41).catch((error: unknown) => this.#complain(leg.legId, error));
    }
  }

  /** The engine did not come back in time: its calls are taken as over. */
  giveUp(): void {
    for (const callId of this.#live.keys()) {
      this.#run(callId, async () => {
        const live = this.#live.get(callId);
        if (live) await this.#declareGone(live, new Map());
      });
    }
  }

  /** Rings what was placed while nobody listened. */
  async sweep(): Promise<void> {
    for (const { call, legs } of await this.options.archive.unfinished(this.options.engineId)) {
      if (legs.length === 0 && call.originating_at === null && !this.#live.has(call.id)) {
        this.#run(call.id, () => this.#place(call.id));
      }
    }
  }

  /** Take no new calls; resolves when the last live one is over or the time is up, with how many are left. */
  async drain(waitMs: number): Promise<number> {
    this.#draining = true;
    if (this.#live.size > 0 && waitMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.clock.after(waitMs, resolve);
        this.#whenEmpty = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    return this.#live.size;
  }

  /** Hang up whatever is still live and wait until it is written down. */
  async endAll(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    if (this.#live.size === 0) return;
    for (const [callId, live] of this.#live) {
      this.#run(callId, () => live.end({ q850: 41, status: 'failed', disposition: 'failed' }));
    }
    await ended;
  }

  /** Resolves once nothing is waiting in any mailbox. */
  async idle(): Promise<void> {
    await this.#mailbox.idle();
  }

  /** No timer fires any more; resolves once everything that happened is written. */
  async stop(): Promise<void> {
    for (const guard of this.#guards.values()) guard.cancel();
    this.#guards.clear();
    await this.idle();
  }

  watchLeg(legId: string, callId: string): void {
    this.#callOfLeg.set(legId, callId);
  }

  async commit(live: LiveCall): Promise<void> {
    const changes = live.record.takeChanges();
    const { epoch } = this.options.lease;
    if (!changes || epoch === null) return;
    const { engineId } = this.options;
    await this.options.committer.commit({ fence: { engineId, epoch }, ...changes });
  }

  #run(callId: string, task: () => Promise<void>): void {
    this.#mailbox.post(callId, task).catch((error: unknown) => {
      this.#complain(callId, error);
      const live = this.#live.get(callId);
      if (live && !(error instanceof EngineError && error.kind === 'unreachable')) this.#abandon(live);
    });
  }

  /** Something broke inside a call's program: the parties are let go rather than left in silence. */
  #abandon(live: LiveCall): void {
    live.note('program.fault');
    this.#mailbox
      .post(live.callId, async () => {
        await live.end({ q850: 41, status: 'failed', disposition: 'failed' });
        await this.#settle(live);
      })
      .catch((error: unknown) => this.#complain(live.callId, error));
  }

  #complain(id: string, error: unknown): void {
    this.options.log.error({ id, err: error }, 'a call could not be advanced');
  }

  readonly #onIllegal = (from: string, to: string): void => {
    this.options.metrics.illegalMove(from, to);
    this.options.log.error({ from, to }, 'an illegal move of a call was refused');
  };

  async #begin(callId: string, event: Extract<LegEvent, { type: 'leg.incoming' }>): Promise<void> {
    const refuse = async (q850: number): Promise<void> => {
      await this.engine.legs.hangup(event.legId, q850);
      this.#callOfLeg.delete(event.legId);
    };
    if (this.#draining || !this.options.lease.mayCommand) return refuse(42);
    const decided = await this.options.incoming.route(event);
    if ('refuse' in decided) return refuse(decided.refuse);
    const at = event.at;
    const record = new CallRecord({ ...decided.call, id: callId, engine_id: this.options.engineId }, []);
    record.addLeg(newLeg(callId, 'customer', decided.leg, at, event.legId));
    record.emit('call.initiated', at);
    record.moveLeg(event.legId, 'ringing', at);
    record.move('ringing', at);
    const live = this.#enter(record);
    await this.commit(live);
    await live.program.start(live);
    await this.#settle(live);
  }

  async #place(callId: string): Promise<void> {
    if (this.#live.has(callId)) return;
    const found = await this.options.archive.find(callId);
    if (!found || found.legs.length > 0 || found.call.originating_at !== null) return;
    const record = new CallRecord(found.call, []);
    if (record.isFinal) return;
    const live = this.#enter(record);
    const now = this.clock.now();
    const stale = now.getTime() - found.call.created_at.getTime() > STALE_AFTER_MS;
    const { call } = found;
    const route = stale
      ? null
      : await this.routing.routeTo(call.project_id, { type: 'number', target: call.customer_number });
    if (route) {
      record.set({ originating_at: now });
      const leg = newLeg(callId, 'customer', route, now);
      const callerId = { number: call.caller_id_number, name: call.caller_id_name };
      const refused = await live.originate(leg, callerId, call.options.ring_timeout_seconds);
      if (refused === null) this.#guardSetup(live, leg.id);
      else endWith(record, hangupCause(refused), this.clock.now(), null, this.#onIllegal);
    } else {
      endWith(record, hangupCause(stale ? 41 : 3), now, null, this.#onIllegal);
    }
    await this.#settle(live);
  }

  async #hangup(command: Extract<CallCommand, { type: 'hangup' }>): Promise<CommandOutcome> {
    const live = this.#live.get(command.callId);
    if (!live) {
      const found = await this.options.archive.find(command.callId);
      return { result: found && !new CallRecord(found.call, []).isFinal ? 'not_controllable' : 'not_active' };
    }
    if (live.record.isFinal) return { result: 'not_active' };
    if (this.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    live.note('control.hangup', { actor: command.actor, request_id: command.requestId });
    await live.end({ q850: 16, status: 'cancelled', disposition: 'cancelled' });
    await this.#settle(live);
    return { result: 'done' };
  }

  async #onLegEvent(callId: string, event: LegEvent): Promise<void> {
    const live = this.#live.get(callId);
    if (!live) {
      if (event.type === 'leg.ended') this.#callOfLeg.delete(event.legId);
      return;
    }
    const before = live.status;
    follow(live.record, event, live.ending, this.#onIllegal);
    await this.commit(live);
    const isCustomersAnswer = before !== 'answered' && live.status === 'answered';
    // Without the lease another process may be commanding this call; once it is held again, adoption goes on from what was missed.
    if (this.options.lease.mayCommand) {
      if (isCustomersAnswer && live.direction === 'outbound') await this.#startOutbound(live, event.legId);
      else await live.program.onLegEvent(live, event);
    }
    await this.#settle(live);
  }

  async #startOutbound(live: LiveCall, legId: string): Promise<void> {
    const digits = live.record.row.options.send_digits;
    if (digits !== null) {
      await this.engine.legs.sendDtmf(legId, digits);
      live.note('control.dtmf', { digits_count: digits.replaceAll('w', '').length });
    }
    await live.program.start(live);
  }

  /** Writes what the program added, and lets go of a call that is over. */
  async #settle(live: LiveCall): Promise<void> {
    await this.commit(live);
    if (!live.record.isDone || !this.#live.delete(live.callId)) return;
    this.#guards.get(live.callId)?.cancel();
    this.#guards.delete(live.callId);
    for (const leg of live.record.legs) this.#callOfLeg.delete(leg.id);
    this.options.metrics.finished(live.record.row);
    this.options.metrics.live(this.#live.size);
    if (this.#live.size === 0) this.#whenEmpty?.();
    await live.cleanUp();
  }

  #enter(record: CallRecord): LiveCall {
    const live = new LiveCall(record, this.options.programs(record.row.program as SavedProgram), this);
    this.#live.set(live.callId, live);
    this.options.metrics.live(this.#live.size);
    return live;
  }

  /** The engine limits the ringing by itself; this finds the leg of which nothing is ever heard. */
  #guardSetup(live: LiveCall, legId: string): void {
    const waitMs = live.record.row.options.ring_timeout_seconds * 1000 + SETUP_GRACE_MS;
    const guard = this.clock.after(waitMs, () => {
      this.#run(live.callId, async () => {
        const leg = live.record.leg(legId);
        if (leg?.status !== 'created' && leg?.status !== 'ringing') return;
        await live.hangupLeg(legId, 19);
        this.#goneLeg(live, leg, 19);
        await this.#settle(live);
      });
    });
    this.#guards.set(live.callId, guard);
  }

  async #reconcile(
    call: CallRow,
    legs: readonly LegRow[],
    alive: ReadonlyMap<string, { state: string }>,
  ): Promise<void> {
    let live = this.#live.get(call.id);
    if (live) return this.#declareGone(live, alive);
    live = this.#enter(new CallRecord(call, legs, true));
    await this.#declareGone(live, alive);
    if (!this.#live.has(call.id)) return;
    for (const leg of live.record.legs) {
      if (leg.status !== 'ended' && leg.status !== 'answered' && alive.get(leg.id)?.state === 'answered') {
        follow(live.record, { type: 'leg.answered', legId: leg.id, at: this.clock.now() }, null, this.#onIllegal);
      }
    }
    live.note('call.adopted');
    live.record.caughtUp();
    if (live.status === 'answered' || live.direction === 'inbound') await live.program.resume(live);
    await this.#settle(live);
  }

  /** Ends the legs that the engine no longer has. */
  async #declareGone(live: LiveCall, alive: ReadonlyMap<string, unknown>): Promise<void> {
    for (const leg of live.record.legs) {
      if (leg.status === 'ended' || alive.has(leg.id)) continue;
      this.#goneLeg(live, leg, live.status === 'answered' ? 16 : 41);
      await this.commit(live);
      await live.program.onLegEvent(live, {
        type: 'leg.ended',
        legId: leg.id,
        at: this.clock.now(),
        cause: hangupCause(41),
      });
    }
    await this.#settle(live);
  }

  #goneLeg(live: LiveCall, leg: LegRow, q850: number): void {
    const cause = hangupCause(q850);
    follow(
      live.record,
      { type: 'leg.ended', legId: leg.id, at: this.clock.now(), cause },
      live.ending,
      this.#onIllegal,
    );
  }
}
