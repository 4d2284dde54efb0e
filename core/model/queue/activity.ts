import type { QueueState } from './state.js';
import type { Decision, StampedEvent } from './types.js';

/**
 * What an agent does for some time: signed in to at least one queue, paused, rung for a caller, talking with one, or
 * wrapping up.
 */
export type ActivityKind = 'signed_in' | 'paused' | 'offer' | 'talk' | 'wrap_up';

/** How an offer ended. `withdrawn`: the caller hung up, overflowed or was taken by a colleague, or the agent signed out. */
export type OfferOutcome = 'answered' | 'missed' | 'withdrawn';

/** Times are milliseconds since 1970. */
export interface Activity {
  readonly kind: ActivityKind;
  readonly agent: string;
  /** Of the log entry with which it began. */
  readonly sequence: number;
  readonly startedAt: number;
  /** Null while it lasts. In the future for a wrap-up. */
  endedAt: number | null;
  readonly queueId: string | null;
  readonly callId: string | null;
  readonly legId: string | null;
  /** Of a pause. */
  readonly reason: string | null;
  outcome: OfferOutcome | null;
}

/** The end of activities that began in an earlier batch. */
export interface ActivityEnd {
  /** Null: all of the agent. */
  readonly kind: ActivityKind | null;
  readonly agent: string;
  readonly callId: string | null;
  readonly endedAt: number;
  outcome: OfferOutcome | null;
}

/** Derives from the dispatchers' decisions when each activity of an agent began and ended. */
export class ActivityBatch {
  readonly began: Activity[] = [];
  readonly ended: ActivityEnd[] = [];

  get isEmpty(): boolean {
    return this.began.length === 0 && this.ended.length === 0;
  }

  /** @param after the state that the event led to */
  add(event: StampedEvent, decisions: readonly Decision[], after: QueueState): void {
    const { at } = event;
    for (const decision of decisions) this.#decided(decision, at, after);
    if (event.type === 'agent_removed') this.#endAll(event.agent, at);
  }

  #decided(decision: Decision, at: number, after: QueueState): void {
    const { sequence } = after;
    switch (decision.type) {
      case 'agent_logged_in':
        if (queuesOf(after, decision.agent) === 1) this.#begin('signed_in', decision.agent, sequence, at);
        break;
      case 'agent_logged_out':
        if (queuesOf(after, decision.agent) === 0) this.#end('signed_in', decision.agent, at);
        break;
      case 'agent_paused':
        this.#begin('paused', decision.agent, sequence, at, { reason: decision.reason });
        break;
      case 'agent_unpaused':
        this.#end('paused', decision.agent, at);
        break;
      case 'offer':
        this.#begin('offer', decision.agent, sequence, at, { queueId: decision.queueId, callId: decision.callId });
        break;
      case 'refused':
        this.#end('offer', decision.agent, at, decision.callId, 'missed');
        break;
      case 'withdraw':
        this.#end('offer', decision.agent, at, decision.callId, 'withdrawn');
        break;
      case 'ended_wait':
        if (decision.agent !== null) this.#answered(decision.agent, decision, at, after);
        break;
      case 'finished':
        this.#finished(decision, at, after);
        break;
      case 'entered':
      case 'overflow':
    }
  }

  #answered(agent: string, { callId, queueId }: { callId: string; queueId: string }, at: number, after: QueueState) {
    this.#end('offer', agent, at, callId, 'answered');
    const reservation = after.agent(agent)?.reservation;
    // Another call may have reserved the agent before a late answer.
    if (reservation?.callId !== callId || reservation.legId === null) return;
    this.#begin('talk', agent, after.sequence, at, { queueId, callId, legId: reservation.legId });
  }

  #finished({ agent, queueId, callId }: Extract<Decision, { type: 'finished' }>, at: number, after: QueueState): void {
    this.#end('talk', agent, at, callId);
    const endedAt = after.agent(agent)?.wrapUpUntil ?? null;
    if (endedAt !== null) this.#begin('wrap_up', agent, after.sequence, at, { queueId, callId, endedAt });
  }

  #begin(
    kind: ActivityKind,
    agent: string,
    sequence: number,
    startedAt: number,
    of: Partial<Pick<Activity, 'queueId' | 'callId' | 'legId' | 'reason' | 'endedAt'>> = {},
  ): void {
    const nothing = { endedAt: null, queueId: null, callId: null, legId: null, reason: null, outcome: null };
    this.began.push({ ...nothing, ...of, kind, agent, sequence, startedAt });
  }

  /** The first end of an activity counts, except that an agent may still answer an offer that has just expired. */
  #end(
    kind: ActivityKind,
    agent: string,
    endedAt: number,
    callId: string | null = null,
    outcome: OfferOutcome | null = null,
  ) {
    const isSame = (other: Pick<ActivityEnd, 'kind' | 'agent' | 'callId'>): boolean =>
      other.kind === kind && other.agent === agent && other.callId === callId;
    const known = this.began.findLast(isSame) ?? this.ended.findLast(isSame);
    if (!known) {
      this.ended.push({ kind, agent, callId, endedAt, outcome });
    } else if (known.endedAt === null || outcome === 'answered') {
      if ('sequence' in known) known.endedAt ??= endedAt;
      known.outcome = outcome;
    }
  }

  #endAll(agent: string, endedAt: number): void {
    for (const known of this.began) {
      const isOver = known.endedAt !== null && known.endedAt <= endedAt;
      if (known.agent === agent && !isOver) known.endedAt = endedAt;
    }
    this.ended.push({ kind: null, agent, callId: null, endedAt, outcome: null });
  }
}

/** The number of queues that the agent is signed in to. */
function queuesOf(state: QueueState, agent: string): number {
  return state.agent(agent)?.memberships.filter(({ isIn }) => isIn).length ?? 0;
}
