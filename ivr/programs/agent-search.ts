import { unlessUnavailable } from '../../core/data/errors.js';
import type { QueueRow } from '../../core/data/rows.js';
import { outcomeOfUnanswered, Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { Skills } from '../../core/model/queue/skills.js';
import type { Decision, OfferFailure } from '../../core/model/queue/types.js';
import type { CallControl } from '../../core/services/call-state/program.js';
import type {
  Caller,
  CallerStatus,
  QueueCallBridge,
  WaitStatus,
} from '../../core/services/live-calls/queues/queue-call-bridge.js';

/** Whose agents are searched, and what they must be able to do besides the skills that the queue requires. */
export interface SearchedAgents {
  readonly queueId: string;
  readonly requiredSkills?: Skills;
}

/** The state that is saved with the call. */
export interface AgentSearchState {
  readonly enteredAt: number;
  /** By agent, the leg that rings. */
  readonly offers: Readonly<Record<string, string>>;
}

export const NO_AGENT_SEARCH: AgentSearchState = { enteredAt: 0, offers: {} };

/** Delay before the dispatcher is asked again after it could not be reached. */
export const RETRY_MS = 1_000;

/** The state of a search that another process started. */
export type ResumedSearch =
  /** This agent has answered. */
  | { readonly agent: string; readonly legId: string }
  /** The dispatcher cannot be reached; a timer signal for a retry follows. */
  | 'unknown'
  | CallerStatus;

/**
 * The search for an agent of a queue. The dispatcher decides which agents are rung; this class rings them. The first agent to answer gets the
 * call at once, even before the dispatcher learns of it.
 */
export class AgentSearch {
  #state: AgentSearchState;
  /** The dispatcher's decisions during a restart are not known yet. */
  #needsRetry = false;

  /** @param keep saves the state with the call */
  constructor(
    private readonly wanted: SearchedAgents,
    private readonly callBridge: QueueCallBridge,
    state: AgentSearchState,
    private readonly keep: (call: CallControl, state: AgentSearchState) => void,
  ) {
    this.#state = { enteredAt: state.enteredAt, offers: state.offers };
  }

  get needsRetry(): boolean {
    return this.#needsRetry;
  }

  /** The ringing legs. */
  get legIds(): readonly string[] {
    return Object.values(this.#state.offers);
  }

  /** Null if the queue never existed, or cannot be read now. */
  queue(): Promise<QueueRow | null> {
    return this.callBridge.queue(this.wanted.queueId);
  }

  /** The agent whose phone rings on this leg; null for any other leg. */
  agentOf(legId: string): string | null {
    return Object.entries(this.#state.offers).find(([, offered]) => offered === legId)?.[0] ?? null;
  }

  start(call: CallControl, queue: QueueRow): void {
    this.#save(call, { enteredAt: this.callBridge.now });
    call.queue.entered(queue);
    this.callBridge.enter(callerOf(call), queue, this.wanted.requiredSkills);
  }

  /** Null if this process does not know the call as waiting. */
  waitStatus(call: CallControl): WaitStatus | null {
    return this.callBridge.standing(callerOf(call));
  }

  /** Carries out a decision of the dispatcher. */
  async apply(call: CallControl, decision: Extract<Decision, { type: 'offer' | 'withdraw' }>): Promise<void> {
    if (decision.type === 'offer') await this.#offer(call, decision.agent, decision.ringSeconds);
    else await this.#withdraw(call, decision.agent);
  }

  /** The agent's phone was not answered. */
  failed(call: CallControl, agent: string, q850: number): void {
    this.#removeOffer(call, agent);
    this.callBridge.refused(callerOf(call), agent, reasonOf(q850));
  }

  /** Hangs up a leg that is no longer needed. */
  async dismiss(call: CallControl, agent: string, legId: string): Promise<void> {
    this.#removeOffer(call, agent);
    await call.queue.dismiss(legId);
  }

  /** The agent on this leg gets the call: the other phones stop ringing. Call {@link reportAnswered} once both are bridged. */
  async accept(call: CallControl, legId: string): Promise<void> {
    const others = this.legIds.filter((other) => other !== legId);
    this.#save(call, { offers: {} });
    for (const other of others) await call.queue.dismiss(other);
  }

  reportAnswered(call: CallControl, agent: string, legId: string): void {
    call.queue.left('answered', agent);
    this.callBridge.answered(callerOf(call), agent, legId);
  }

  /** The caller has left the queue without an agent; the dispatcher is notified. */
  abandon(call: CallControl): void {
    call.queue.left('abandoned');
    this.callBridge.left(callerOf(call));
  }

  /** Stops all ringing phones. */
  async stopRinging(call: CallControl): Promise<void> {
    const { legIds } = this;
    this.#save(call, { offers: {} });
    for (const legId of legIds) await call.queue.dismiss(legId);
  }

  /** Continues after a restart: reports legs that ended meanwhile and asks the dispatcher for the state of the wait. */
  async restore(call: CallControl): Promise<ResumedSearch> {
    for (const [agent, legId] of Object.entries(this.#state.offers)) {
      const leg = call.queue.legs().find((known) => known.legId === legId);
      if (leg?.status === 'answered') return { agent, legId };
      if (!leg || leg.status === 'ended') {
        this.failed(call, agent, leg?.hangupQ850 ?? Q850.NO_ROUTE_DESTINATION);
      }
    }
    const place = await this.#place(call);
    this.#needsRetry = place === 'unknown';
    if (this.#needsRetry) call.startTimer(RETRY_MS);
    return place;
  }

  /** Makes the ringing phones match the dispatcher's decisions. */
  async reconcile(call: CallControl, place: { readonly entry: { readonly agents: readonly string[] } } | null) {
    const queue = await this.queue();
    if (!place && queue) this.callBridge.enter(callerOf(call), queue, this.wanted.requiredSkills);
    const offered = place?.entry.agents ?? [];
    for (const agent of Object.keys(this.#state.offers)) {
      if (!offered.includes(agent)) await this.#withdraw(call, agent);
    }
    for (const agent of offered) await this.#offer(call, agent, queue?.ring_timeout_seconds ?? 0);
  }

  async #offer(call: CallControl, agent: string, ringSeconds: number): Promise<void> {
    if (this.#state.offers[agent] !== undefined) return;
    const legId = newId();
    // Saved together with the leg, so that a process that takes over knows whose leg it is.
    this.#save(call, { offers: { ...this.#state.offers, [agent]: legId } });
    const refused = await call.queue.offer(legId, agent, ringSeconds);
    if (refused !== null) this.failed(call, agent, refused);
  }

  async #withdraw(call: CallControl, agent: string): Promise<void> {
    const legId = this.#state.offers[agent];
    this.#removeOffer(call, agent);
    if (legId !== undefined) await call.queue.dismiss(legId);
  }

  #place(call: CallControl): Promise<CallerStatus | 'unknown'> {
    const placed = this.callBridge.place(callerOf(call), this.wanted.queueId, this.#state.enteredAt);
    return unlessUnavailable(placed, () => 'unknown' as const);
  }

  #removeOffer(call: CallControl, agent: string): void {
    const { [agent]: _, ...offers } = this.#state.offers;
    this.#save(call, { offers });
  }

  #save(call: CallControl, changes: Partial<AgentSearchState>): void {
    this.#state = { ...this.#state, ...changes };
    this.keep(call, this.#state);
  }
}

function callerOf(call: CallControl): Caller {
  return { projectId: call.queue.projectId, callId: call.callId };
}

/** The reason why a phone was not answered, from its hangup cause. */
function reasonOf(q850: number): OfferFailure {
  const { disposition } = outcomeOfUnanswered(q850);
  if (disposition === 'busy' || disposition === 'rejected') return 'rejected';
  return disposition === 'no_answer' ? 'no_answer' : 'unreachable';
}
