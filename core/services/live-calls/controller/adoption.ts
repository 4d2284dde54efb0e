import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import type { CallRow, LegRow } from '../../../data/rows.js';
import type { CallDetail, LegDetail } from '../../../ports/call-detail.js';
import type { EngineSnapshot, LegEvent } from '../../../ports/engine.js';
import type { Conferences } from '../conferences/conferences.js';
import type { CallArchive, StoredCall } from '../../call-state/call-archive.js';
import { CallState } from '../../call-state/call-state.js';
import { endWith, applyLegEvent } from '../../call-state/apply-leg-event.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { startsAtOnce } from '../../call-state/program.js';
import { guardSetup, STALE_AFTER_MS } from '../outbound/origination.js';
import type { RecordedStart } from './recorded-start.js';
import type { Transfers } from '../transfers/transfers.js';

/** What is known of legs besides what is written down. */
interface Found {
  /** When the engine was asked for what it has; null: it is not there to be asked. */
  readonly askedAt: Date | null;
  /** What the engine has of a leg; null when it has it no more, or never had it. */
  readonly stateOf: (leg: LegRow) => LegState | null;
  /** When it was answered, where the engine tells. */
  readonly answerOf: (leg: LegRow) => Date | null;
  /** Whether the engine keeps a record in which every leg stands that it ever had. */
  readonly isRecordKept: boolean;
  /** What the engine noted of the leg while nobody listened. */
  readonly detailOf: (leg: LegRow) => LegDetail | undefined;
  /** When the engine was last reached before it started again and all legs in it were gone; null where it did not. */
  readonly diedAt: Date | null;
  /** What the engine records. */
  readonly recordingIds: ReadonlySet<string>;
}

type LegState = EngineSnapshot['legs'][number]['state'];

type Missed = Extract<LegEvent, { type: 'leg.answered' | 'leg.ended' }>;

/** So long after it was seen a leg belongs to a call, or to none. */
const STRAY_AFTER_MS = 2_000;
/** After this time without any answer SIP itself gives up an INVITE (RFC 3261 timer B). */
const UNHEARD_MS = 32_000;
/** So much earlier than the limit an end may stand in the engine's record. */
const GIVEN_UP_SLACK_MS = 1_000;

/**
 * Brings what is written down and what the engine has together: after a restart of the application, a change of owner, or an outage of
 * the engine's connection or of the database. A leg that the engine still has goes on; one that it no longer has is over, at the time
 * and for the cause that the engine noted, or now and with a guess where it noted none.
 */
export class Adoption {
  constructor(
    private readonly calls: LiveCalls,
    private readonly archive: CallArchive,
    private readonly detail: CallDetail,
    private readonly recordedStart: RecordedStart,
    private readonly transfers: Transfers,
    private readonly conferences: Conferences,
  ) {}

  /**
   * @param isAnnounced whether a leg that belongs to no call is one that is just coming in
   * @param diedAt when the engine was last reached before it started again; null where it did not
   */
  async takeOver(isAnnounced: (legId: string) => boolean, diedAt: Date | null): Promise<void> {
    const { calls } = this;
    const { engine, engineId } = calls.options;
    const inHand = new Set(calls.all().map(({ callId }) => callId));
    const askedAt = calls.clock.now();
    const snapshot = await engine.list();
    const alive = new Map(snapshot.legs.map((leg) => [leg.legId, leg]));
    // A leg that was begun while we asked need not be in the answer.
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
      // It came to its end in our hands after it was read.
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
      // It may be just coming in, with the word of it still on its way.
      calls.clock.after(STRAY_AFTER_MS, () => {
        if (!isAnnounced(legId)) this.#hangUpStray(legId);
      });
    }
    for (const bridgeId of snapshot.bridgeIds) {
      if (!calls.get(bridgeId) && !this.conferences.has(bridgeId)) await engine.bridges.destroy(bridgeId);
    }
  }

  /** Nobody's: its call is over, or its process died before it was written down. Left alone it would cost money for ever. */
  #hangUpStray(legId: string): void {
    const { calls } = this;
    const { engine, lease, log } = calls.options;
    if (calls.callOfLeg(legId) !== undefined || !lease.mayCommand) return;
    log.warn({ legId }, 'a leg that belongs to no call is hung up');
    engine.legs.hangup(legId, Q850.TEMPORARY_FAILURE).catch((error: unknown) => calls.complain(legId, error));
  }

  /** The engine did not come back in time: its calls are taken as over. */
  async giveUp(): Promise<void> {
    const live = this.calls.all();
    const found = await this.#find(
      live.flatMap(({ state }) => state.legs),
      { stateOf: () => null, answerOf: () => null, askedAt: null, diedAt: null, recordingIds: new Set() },
    );
    for (const call of live) {
      this.calls.run(call.callId, async () => {
        call.state.recovering();
        await this.#declareGone(call, found);
      });
    }
  }

  /** Asks the engine's record about the legs of which something was missed. */
  async #find(legs: readonly LegRow[], told: Omit<Found, 'isRecordKept' | 'detailOf'>): Promise<Found> {
    const missed = legs.filter((leg) => {
      const state = leg.status === 'ended' ? undefined : told.stateOf(leg);
      return state === null || (state === 'answered' && leg.status !== 'answered');
    });
    const details = missed.length === 0 ? null : await this.detail.of(missed);
    return { ...told, isRecordKept: details !== null, detailOf: ({ id }) => details?.get(id) };
  }

  async #reconcile(written: StoredCall, found: Found, joined: boolean, wasInHand: boolean): Promise<void> {
    const { calls } = this;
    const { call } = written;
    const known = calls.get(call.id);
    if (!known && wasInHand) return;
    const live = known ?? calls.enter(CallState.of(written));
    if (!known) this.conferences.attach(live);
    live.state.recovering();
    if (joined) live.foundJoined();
    const unrung = live.state.legs.filter((leg) => this.#isUnrung(live, leg, found));
    await this.#declareGone(live, found, unrung);
    if (!calls.get(call.id)) return;
    const answered = this.#catchUp(live, found);
    await live.recordings.reconcile(found.recordingIds);
    await this.conferences.reconcile(live, found.recordingIds);
    if (!calls.get(call.id)) return;
    if (!known) live.note('call.adopted');
    live.state.caughtUp();
    await calls.commit(live);
    for (const leg of unrung) await this.#ringAfterAll(live, leg);
    this.#guardDialled(live, found);
    // A program that ran here all the time only missed what happened; one that was just rebuilt goes on from its saved state.
    const goesOn = live.status === 'answered' || startsAtOnce(live.state.row);
    // What an announcement's end would have told was missed too.
    const wasAnnouncing = live.announcing !== null;
    live.announcing = null;
    const isMoving = live.state.transfer !== undefined || live.state.conference !== null;
    const hasMissed = goesOn && live.takeMissed();
    if (goesOn && (!known || answered || wasAnnouncing || hasMissed || isMoving)) {
      await this.recordedStart.begin(live, async () => {
        if (!(await this.conferences.takes(live)) && !(await this.transfers.takes(live)))
          await live.program.resume(live);
      });
    }
    // The customer went while nobody might command the engine: whoever is left would hear silence for ever.
    if (live.state.isFinal) for (const leg of live.state.legs) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
    await calls.settle(live);
  }

  /** Whether the leg was noted and its phone certainly never rang: the application went in between. */
  #isUnrung(live: LiveCall, leg: LegRow, { stateOf, detailOf, isRecordKept }: Found): boolean {
    if (leg.status === 'created' && live.ringing.isPostponed(leg.id)) return true;
    if (leg.status !== 'created' || live.ringing.hasRung(leg.id)) return false;
    const state = stateOf(leg);
    return state === 'created' || (state === null && isRecordKept && detailOf(leg) === undefined);
  }

  /** The engine was about to be told to dial, and perhaps never was: such a leg would wait for ever. It is not dialled again. */
  #guardDialled(live: LiveCall, { stateOf }: Found): void {
    const leg = live.state.legs.find(({ status }) => status === 'created');
    if (!leg || stateOf(leg) !== 'dialled') return;
    const spentMs = this.calls.clock.now().getTime() - leg.created_at.getTime();
    guardSetup(this.calls, live, leg.id, Math.max(0, UNHEARD_MS - spentMs), this.transfers.show);
  }

  /** Nobody wants a call from the past, or one that is over; but who waits for another party is not left waiting. */
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

  /** Legs that began to ring or were answered meanwhile. @returns whether one was answered. */
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

  /** Ends the legs that the engine no longer has, one after another as they ended. */
  async #declareGone(live: LiveCall, found: Found, unrung: readonly LegRow[] = []): Promise<void> {
    const { askedAt, stateOf } = found;
    const gone = live.state.legs.filter(
      (leg) =>
        leg.status !== 'ended' &&
        stateOf(leg) === null &&
        !unrung.includes(leg) &&
        // A call that is placed while others are taken over.
        (askedAt === null || !live.ringing.wasRungAfter(leg.id, askedAt)),
    );
    const missed = gone
      .flatMap((leg) => this.#missed(live, leg, found))
      .sort((one, other) => one.at.getTime() - other.at.getTime());
    for (const event of missed) {
      applyLegEvent(live.state, event, live.ending, this.calls.onIllegal);
      if (event.type === 'leg.answered') continue;
      await this.calls.commit(live);
      // A transfer goes on from where all of its legs are, once that is known.
      if (!live.state.transfer && !live.isSupervisors(event.legId)) await live.program.onLegEvent(live, event);
    }
    await this.calls.settle(live);
  }

  /** What the engine would have told of a leg that is gone. */
  #missed(live: LiveCall, leg: LegRow, { detailOf, diedAt }: Found): Missed[] {
    const legId = leg.id;
    const detail = detailOf(leg);
    const answeredAt = leg.status === 'answered' ? null : (detail?.answeredAt ?? null);
    const isAnswered = live.status === 'answered' || answeredAt !== null;
    const end = detail?.end ?? this.#guess(leg, answeredAt, isAnswered, diedAt);
    const { at } = end;
    // Who ended a leg of which nothing was heard is not always to be seen in the engine's record.
    const cause = isGivenUp(leg, at, live.state.row) ? { ...end.cause, sipCode: null } : end.cause;
    return [
      ...(answeredAt === null ? [] : [{ type: 'leg.answered', legId, at: answeredAt } as const]),
      { type: 'leg.ended', legId, at, cause },
    ];
  }

  /** An end that nobody noted: the engine died with the leg, not before it was last heard of; or now. */
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

/** Whether a leg that rang nobody ended as late as this side gives one up: by its ring timeout, or because nothing is known of its dialling. */
function isGivenUp(leg: LegRow, endedAt: Date, { options }: Pick<CallRow, 'options'>): boolean {
  const limitMs = Math.min(UNHEARD_MS, options.ring_timeout_seconds * 1000);
  return leg.ringing_at === null && endedAt.getTime() - leg.created_at.getTime() > limitMs - GIVEN_UP_SLACK_MS;
}
