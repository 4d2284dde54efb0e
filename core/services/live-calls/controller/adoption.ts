import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import type { CallRow, LegRow } from '../../../data/rows.js';
import type { CallDetail, LegDetail } from '../../../ports/call-detail.js';
import type { EngineSnapshot } from '../../../ports/engine.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { Conferences } from '../conferences/conferences.js';
import type { BrowserReturns } from '../browsers/returns.js';
import { awayBrowsersOf } from '../../call-state/away-browsers.js';
import type { CallArchive, StoredCall } from '../../call-state/call-archive.js';
import { CallState } from '../../call-state/call-state.js';
import { endWith, applyLegEvent } from '../../call-state/apply-leg-event.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { startsAtOnce } from '../../call-state/program.js';
import { guardSetup, STALE_AFTER_MS } from '../outbound/origination.js';
import type { RecordedStart } from './recorded-start.js';
import type { Transfers } from '../transfers/transfers.js';

/** What the engine reported about legs, in addition to the stored state. */
interface Found {
  /** When the snapshot of the engine was requested; null if the engine is unreachable. */
  readonly askedAt: Date | null;
  /** The leg's state in the engine; null if the engine does not have the leg. */
  readonly stateOf: (leg: LegRow) => LegState | null;
  /** When the leg was answered, if the engine reports it. */
  readonly answerOf: (leg: LegRow) => Date | null;
  /** Whether the engine keeps call detail records of every leg it ever had. */
  readonly isRecordKept: boolean;
  /** The leg's call detail record. */
  readonly detailOf: (leg: LegRow) => LegDetail | undefined;
  /** When the engine was last reached before it was lost with all its legs; null if it was not. */
  readonly diedAt: Date | null;
  /** Ids of the engine's running recordings. */
  readonly recordingIds: ReadonlySet<string>;
}

type LegState = EngineSnapshot['legs'][number]['state'];

type Missed = Extract<LegEvent, { type: 'leg.answered' | 'leg.ended' }>;

/** A leg that still belongs to no call this long after it was seen is a stray. */
const STRAY_AFTER_MS = 2_000;
/** SIP gives up an unanswered INVITE after this time (RFC 3261 timer B). */
const UNHEARD_MS = 32_000;
/** How much earlier than the limit the engine's record may show an end. */
const GIVEN_UP_SLACK_MS = 1_000;

/**
 * Reconciles the stored calls with the engine: after a restart of the application, a change of owner, or an outage of
 * the engine's connection or of the database. A leg that the engine still has continues. One that it no longer has is
 * ended with the time and cause in the engine's record, or with the current time and a guessed cause if there is no
 * record.
 */
export class Adoption {
  #adopted = 0;

  constructor(
    private readonly calls: LiveCalls,
    private readonly archive: CallArchive,
    private readonly detail: CallDetail,
    private readonly recordedStart: RecordedStart,
    private readonly transfers: Transfers,
    private readonly conferences: Conferences,
    private readonly returns: Pick<BrowserReturns, 'adopted' | 'advance'>,
  ) {}

  /** Number of calls taken over from earlier processes that were live then. */
  get adopted(): number {
    return this.#adopted;
  }

  /**
   * @param isAnnounced whether a leg without a call is just coming in
   * @param diedAt when the engine was last reached before it restarted; null if it did not restart
   */
  async takeOver(isAnnounced: (legId: string) => boolean, diedAt: Date | null): Promise<void> {
    const { calls } = this;
    const { engine, engineId } = calls.options;
    const inHand = new Set(calls.all().map(({ callId }) => callId));
    const askedAt = calls.clock.now();
    const snapshot = await engine.list();
    const alive = new Map(snapshot.legs.map((leg) => [leg.legId, leg]));
    // A leg originated while the snapshot was requested may be missing from it.
    const stateOf = (leg: LegRow) => alive.get(leg.id)?.state ?? (leg.created_at > askedAt ? 'ringing' : null);
    const answerOf = (leg: LegRow) => alive.get(leg.id)?.answeredAt ?? null;
    const unfinished = await this.archive.unfinished(engineId);
    await this.conferences.adopt(() => this.archive.unfinishedConferences(engineId), snapshot);
    const found = await this.#find(
      unfinished.flatMap(({ call, legs }) => calls.get(call.id)?.state.legs ?? legs),
      { stateOf, answerOf, askedAt, diedAt, recordingIds: new Set(snapshot.recordingIds) },
    );
    for (const written of unfinished) {
      const { call, legs } = written;
      if (!calls.get(call.id) && call.originating_at === null && legs.length === 0) continue;
      // The call ended in this process after it was read.
      if (!calls.get(call.id) && inHand.has(call.id)) continue;
      for (const leg of legs) if (leg.status !== 'ended') calls.watchLeg(leg.id, call.id);
      const joined = snapshot.bridgeIds.includes(call.id);
      calls.run(call.id, () => this.#reconcile(written, found, joined, inHand.has(call.id)));
    }
    const strays = snapshot.legs.filter(
      ({ legId, createdAt }) => calls.callOfLeg(legId) === undefined && createdAt <= askedAt,
    );
    await calls.idle();
    for (const { legId } of strays) {
      // The leg may be just coming in, with its event still on the way.
      calls.clock.after(STRAY_AFTER_MS, () => {
        if (!isAnnounced(legId)) this.#hangUpStray(legId);
      });
    }
    for (const bridgeId of snapshot.bridgeIds) {
      if (!calls.get(bridgeId) && !this.conferences.has(bridgeId)) await engine.bridges.destroy(bridgeId);
    }
  }

  /**
   * Hangs up a leg without a call: the call has ended, or its process died before storing it. Otherwise the leg would
   * cost money for ever.
   */
  #hangUpStray(legId: string): void {
    const { calls } = this;
    const { engine, lease, log } = calls.options;
    if (calls.callOfLeg(legId) !== undefined || !lease.mayCommand) return;
    log.warn({ legId }, 'hanging up a leg that belongs to no call');
    engine.legs.hangup(legId, Q850.TEMPORARY_FAILURE).catch((error: unknown) => calls.logFailure(legId, error));
  }

  /**
   * Ends all calls, because the engine did not come back in time. A leg without a record ends when the engine was last
   * reached: nobody is charged for the wait.
   */
  async giveUp(reachedAt: Date | null): Promise<void> {
    const live = this.calls.all();
    const found = await this.#find(
      live.flatMap(({ state }) => state.legs),
      { stateOf: () => null, answerOf: () => null, askedAt: null, diedAt: reachedAt, recordingIds: new Set() },
    );
    for (const call of live) {
      this.calls.run(call.callId, async () => {
        call.state.recovering();
        await this.#declareGone(call, found);
        if (await this.returns.advance(call)) await this.calls.settle(call);
      });
    }
  }

  /** Reads the engine's call detail records for legs whose events were missed. */
  async #find(legs: readonly LegRow[], reported: Omit<Found, 'isRecordKept' | 'detailOf'>): Promise<Found> {
    const missed = legs.filter((leg) => {
      const state = leg.status === 'ended' ? undefined : reported.stateOf(leg);
      return state === null || (state === 'answered' && leg.status !== 'answered');
    });
    const details = missed.length === 0 ? null : await this.detail.of(missed);
    return { ...reported, isRecordKept: details !== null, detailOf: ({ id }) => details?.get(id) };
  }

  async #reconcile(written: StoredCall, found: Found, joined: boolean, wasInHand: boolean): Promise<void> {
    const { calls } = this;
    const { call } = written;
    const known = calls.get(call.id);
    if (!known && wasInHand) return;
    const live = known ?? calls.enter(CallState.of(written));
    if (!known) this.conferences.attach(live);
    live.state.recovering();
    if (joined) live.restoreBridge();
    const unrung = live.state.legs.filter((leg) => this.#isUnrung(live, leg, found));
    await this.#declareGone(live, found, unrung);
    if (!calls.get(call.id)) return;
    const answered = this.#catchUp(live, found);
    await live.recordings.reconcile(found.recordingIds);
    await this.conferences.reconcile(live, found.recordingIds);
    if (!calls.get(call.id)) return;
    if (!known) {
      live.note('call.adopted');
      if (!live.state.isFinal) {
        this.#adopted += 1;
        this.returns.adopted(live);
      }
    }
    live.state.caughtUp();
    await calls.commit(live);
    for (const leg of unrung) await this.#ringAfterAll(live, leg);
    this.#guardDialled(live, found);
    // A program that ran throughout only missed events; one that was just rebuilt resumes from its saved state.
    const shouldRun = live.status === 'answered' || startsAtOnce(live.state.row);
    // The end of an announcement may have been missed too.
    const wasAnnouncing = live.announcing !== null;
    live.announcing = null;
    const isMoving =
      live.state.transfer !== undefined || live.state.conference !== null || awayBrowsersOf(live.state.row).length > 0;
    const hasMissed = shouldRun && live.takeMissedEvent();
    if (shouldRun && (!known || answered || wasAnnouncing || hasMissed || isMoving)) {
      await this.recordedStart.begin(live, async () => {
        const isTaken =
          (await this.conferences.takes(live)) ||
          (await this.returns.advance(live)) ||
          (await this.transfers.advance(live));
        if (!isTaken) await live.program.resume(live);
      });
    }
    // The customer hung up while this process was not allowed to command the engine. The other parties would hear
    // silence for ever.
    if (live.state.isFinal) for (const leg of live.state.legs) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
    await calls.settle(live);
  }

  /** Whether the leg was stored but its phone certainly never rang, because the application stopped in between. */
  #isUnrung(live: LiveCall, leg: LegRow, { stateOf, detailOf, isRecordKept }: Found): boolean {
    if (leg.status === 'created' && live.ringing.isPostponed(leg.id)) return true;
    if (leg.status !== 'created' || live.ringing.hasRung(leg.id)) return false;
    const state = stateOf(leg);
    return state === 'created' || (state === null && isRecordKept && detailOf(leg) === undefined);
  }

  /**
   * Sets a timeout for a leg that the engine may never have been commanded to dial and that would wait for ever. It is
   * not dialled again.
   */
  #guardDialled(live: LiveCall, { stateOf }: Found): void {
    const leg = live.state.legs.find(({ status }) => status === 'created');
    if (!leg || stateOf(leg) !== 'dialled') return;
    const spentMs = this.calls.clock.now().getTime() - leg.created_at.getTime();
    guardSetup(this.calls, live, leg.id, Math.max(0, UNHEARD_MS - spentMs), this.transfers.show);
  }

  /**
   * Rings a stored leg late, unless its call has ended or is too old. Someone who already waits for the other party is
   * not left waiting.
   */
  async #ringAfterAll(live: LiveCall, leg: LegRow): Promise<void> {
    const { state } = live;
    const now = this.calls.clock.now();
    const isStale =
      state.isFinal || (live.status === 'initiated' && now.getTime() - leg.created_at.getTime() > STALE_AFTER_MS);
    if (isStale) await live.hangupLeg(leg.id, Q850.TEMPORARY_FAILURE);
    const refused = isStale ? Q850.TEMPORARY_FAILURE : await live.ringing.ringAfterAll(leg);
    if (refused === null) return;
    state.endLeg(leg.id, hangupCause(refused), now);
    if (leg.role === 'customer' && !state.isFinal)
      endWith(state, hangupCause(refused), now, null, this.calls.onIllegal);
  }

  /** Applies missed ringing and answers. @returns whether a party answered */
  #catchUp(live: LiveCall, { stateOf, answerOf, detailOf }: Found): boolean {
    for (const leg of live.state.legs) {
      if (leg.status !== 'created' || stateOf(leg) !== 'ringing') continue;
      const event = { type: 'leg.ringing', legId: leg.id, at: this.calls.clock.now() } as const;
      applyLegEvent(live.state, event, null, this.calls.onIllegal);
    }
    const missed = live.state.legs.filter(
      (leg) => (leg.status === 'created' || leg.status === 'ringing') && stateOf(leg) === 'answered',
    );
    for (const leg of missed) {
      const at = detailOf(leg)?.answeredAt ?? answerOf(leg) ?? this.calls.clock.now();
      applyLegEvent(live.state, { type: 'leg.answered', legId: leg.id, at }, null, this.calls.onIllegal);
    }
    return missed.some(({ role }) => role !== 'supervisor');
  }

  /** Ends the legs that the engine no longer has, in the order of their ends. */
  async #declareGone(live: LiveCall, found: Found, unrung: readonly LegRow[] = []): Promise<void> {
    const { askedAt, stateOf } = found;
    const gone = live.state.legs.filter(
      (leg) =>
        leg.status !== 'ended' &&
        stateOf(leg) === null &&
        !unrung.includes(leg) &&
        // A call may be placed during adoption.
        (askedAt === null || !live.ringing.wasRungAfter(leg.id, askedAt)),
    );
    const missed = gone
      .flatMap((leg) => this.#missed(live, leg, found))
      .sort((one, other) => one.at.getTime() - other.at.getTime());
    for (const unexplained of missed) {
      const event = this.calls.explained(live, unexplained);
      applyLegEvent(live.state, event, live.ending, this.calls.onIllegal);
      if (event.type === 'leg.answered') continue;
      await this.calls.commit(live);
      // A transfer and the return of a browser continue later, when the states of all legs are known.
      const isLater = live.state.transfer !== undefined || awayBrowsersOf(live.state.row).length > 0;
      if (!isLater && !live.isSupervisors(event.legId)) await live.program.onLegEvent(live, event);
    }
    await this.calls.settle(live);
  }

  /** Returns the events that were missed of a leg that is gone. */
  #missed(live: LiveCall, leg: LegRow, { detailOf, diedAt }: Found): Missed[] {
    const legId = leg.id;
    const detail = detailOf(leg);
    const answeredAt = leg.status === 'answered' ? null : (detail?.answeredAt ?? null);
    const isAnswered = live.status === 'answered' || answeredAt !== null;
    const end = detail?.end ?? this.#guess(leg, answeredAt, isAnswered, diedAt);
    const { at } = end;
    // The engine's record does not always show which side ended a leg that got no response.
    const cause = isGivenUp(leg, at, live.state.row) ? { ...end.cause, sipCode: null } : end.cause;
    return [
      ...(answeredAt === null ? [] : [{ type: 'leg.answered', legId, at: answeredAt } as const]),
      { type: 'leg.ended', legId, at, cause },
    ];
  }

  /** Guesses an end that has no record: if the engine died, not before the last sign of the leg; otherwise now. */
  #guess(leg: LegRow, answeredAt: Date | null, isAnswered: boolean, diedAt: Date | null): LegDetail['end'] & object {
    if (diedAt === null) {
      const cause = hangupCause(isAnswered ? Q850.NORMAL_CLEARING : Q850.TEMPORARY_FAILURE);
      return { at: this.calls.clock.now(), cause };
    }
    const heardOf = [diedAt, leg.created_at, leg.answered_at ?? diedAt, answeredAt ?? diedAt];
    const at = new Date(Math.max(...heardOf.map((one) => one.getTime())));
    return { at, cause: hangupCause(Q850.DESTINATION_OUT_OF_ORDER) };
  }
}

/**
 * Whether a leg that never rang ended about when this side gives up: after its ring timeout, or because its dialling
 * got no response.
 */
function isGivenUp(leg: LegRow, endedAt: Date, { options }: Pick<CallRow, 'options'>): boolean {
  const limitMs = Math.min(UNHEARD_MS, options.ring_timeout_seconds * 1000);
  return leg.ringing_at === null && endedAt.getTime() - leg.created_at.getTime() > limitMs - GIVEN_UP_SLACK_MS;
}
