import { hangupCause } from '../../model/hangup-cause.js';
import type { CallRow, LegRow } from '../../data/rows.js';
import { CallRecord } from './call-record.js';
import { follow } from './follow.js';
import type { LiveCall } from './live-call.js';
import type { LiveCalls } from './live-calls.js';
import { cameIn } from './program.js';

/** The calls as they were written down. */
export interface CallArchive {
  /** Without its legs: a call that has any also tells when its first was rung. */
  find(callId: string): Promise<CallRow | null>;
  /** Calls of the engine that are not over, or have legs that are not. */
  unfinished(engineId: string): Promise<readonly WrittenCall[]>;
  /** Calls of the engine that nobody has begun. */
  unplaced(engineId: string): Promise<readonly string[]>;
}

export interface WrittenCall {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
}

/** What the engine has of a leg; null when it has it no more. */
type LegStateOf = (leg: LegRow) => 'ringing' | 'answered' | null;

const NORMAL_CLEARING = 16;
const TEMPORARY_FAILURE = 41;

/**
 * Brings what is written down and what the engine has together: after a restart of the application, a change of owner, or an outage of
 * the engine's connection. A leg that the engine still has goes on; one that it no longer has is over.
 */
export class Adoption {
  constructor(
    private readonly calls: LiveCalls,
    private readonly archive: CallArchive,
  ) {}

  /** @param isAnnounced whether a leg that belongs to no call is one that is just coming in */
  async takeOver(isAnnounced: (legId: string) => boolean): Promise<void> {
    const { calls } = this;
    const { engine, log, engineId } = calls.options;
    const askedAt = calls.clock.now();
    const snapshot = await engine.list();
    const alive = new Map(snapshot.legs.map((leg) => [leg.legId, leg.state]));
    // A leg that was begun while we asked need not be in the answer.
    const stateOf: LegStateOf = (leg) => alive.get(leg.id) ?? (leg.created_at > askedAt ? 'ringing' : null);
    for (const written of await this.archive.unfinished(engineId)) {
      const { call, legs } = written;
      if (!calls.get(call.id) && call.originating_at === null && legs.length === 0) continue;
      for (const leg of legs) if (leg.status !== 'ended') calls.watchLeg(leg.id, call.id);
      const joined = snapshot.bridgeIds.includes(call.id);
      calls.run(call.id, () => this.#reconcile(written, stateOf, joined));
    }
    for (const leg of snapshot.legs) {
      if (calls.callOfLeg(leg.legId) !== undefined || leg.createdAt > askedAt || isAnnounced(leg.legId)) continue;
      // Nobody's: its call is over, or its process died before it was written down. Left alone it would cost money for ever.
      log.warn({ legId: leg.legId }, 'a leg that belongs to no call is hung up');
      await engine.legs
        .hangup(leg.legId, TEMPORARY_FAILURE)
        .catch((error: unknown) => calls.complain(leg.legId, error));
    }
    await calls.idle();
    for (const bridgeId of snapshot.bridgeIds) if (!calls.get(bridgeId)) await engine.bridges.destroy(bridgeId);
  }

  /** The engine did not come back in time: its calls are taken as over. */
  giveUp(): void {
    for (const live of this.calls.all()) this.calls.run(live.callId, () => this.#declareGone(live, () => null));
  }

  async #reconcile({ call, legs }: WrittenCall, stateOf: LegStateOf, joined: boolean): Promise<void> {
    const { calls } = this;
    const known = calls.get(call.id);
    const live = known ?? calls.enter(new CallRecord(call, legs, true));
    if (joined) live.foundJoined();
    await this.#declareGone(live, stateOf);
    if (!calls.get(call.id)) return;
    const answered = this.#catchUp(live, stateOf);
    if (!known) live.note('call.adopted');
    live.record.caughtUp();
    await calls.commit(live);
    // A program that ran here all the time only missed what happened; one that was just rebuilt goes on from its saved state.
    const goesOn = live.status === 'answered' || cameIn(live.record.row);
    if (goesOn && (!known || answered)) await live.program.resume(live);
    await calls.settle(live);
  }

  /** Legs that were answered meanwhile. @returns whether there was one. */
  #catchUp(live: LiveCall, stateOf: LegStateOf): boolean {
    const missed = live.record.legs.filter(
      (leg) => (leg.status === 'created' || leg.status === 'ringing') && stateOf(leg) === 'answered',
    );
    const at = this.calls.clock.now();
    for (const { id: legId } of missed) {
      follow(live.record, { type: 'leg.answered', legId, at }, null, this.calls.onIllegal);
    }
    return missed.length > 0;
  }

  /** Ends the legs that the engine no longer has. */
  async #declareGone(live: LiveCall, stateOf: LegStateOf): Promise<void> {
    for (const leg of live.record.legs) {
      if (leg.status === 'ended' || stateOf(leg) !== null) continue;
      const cause = hangupCause(live.status === 'answered' ? NORMAL_CLEARING : TEMPORARY_FAILURE);
      const event = { type: 'leg.ended', legId: leg.id, at: this.calls.clock.now(), cause } as const;
      follow(live.record, event, live.ending, this.calls.onIllegal);
      await this.calls.commit(live);
      await live.program.onLegEvent(live, event);
    }
    await this.calls.settle(live);
  }
}
