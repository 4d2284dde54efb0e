import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { QueueRow } from '../../core/data/rows.js';
import { outcomeOfUnanswered, Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { Decision, OfferFailure } from '../../core/model/queue/types.js';
import type { CallControl } from '../../core/services/call-state/program.js';
import type {
  Caller,
  CallerStatus,
  QueueCallBridge,
  WaitStatus,
} from '../../core/services/live-calls/queues/queue-call-bridge.js';

/** As it is kept with the call. */
export interface AgentSearchState {
  readonly enteredAt: number;
  /** Who is rung: legs by agent. */
  readonly offers: Readonly<Record<string, string>>;
}

export const NO_AGENT_SEARCH: AgentSearchState = { enteredAt: 0, offers: {} };

/** When the dispatcher could not be asked. */
export const ASK_AGAIN_MS = 1_000;

/** How a hunt stands that another process began. */
export type ResumedSearch =
  /** This agent has answered. */
  | { readonly agent: string; readonly legId: string }
  /** The dispatcher cannot be asked now; a signal to look again comes. */
  | 'unknown'
  | CallerStatus;

/**
 * The search for an agent of a queue: who is rung is decided by the dispatcher and done here. Who answers first has the call at once, whether
 * the dispatcher knows of it yet or not.
 */
export class AgentSearch {
  #state: AgentSearchState;
  /** What the dispatcher decided while the application was away is still to be asked. */
  #isUnsure = false;

  /** @param keep writes the state down with the call */
  constructor(
    private readonly queueId: string,
    private readonly callBridge: QueueCallBridge,
    state: AgentSearchState,
    private readonly keep: (call: CallControl, state: AgentSearchState) => void,
  ) {
    this.#state = { enteredAt: state.enteredAt, offers: state.offers };
  }

  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** The legs that ring. */
  get legIds(): readonly string[] {
    return Object.values(this.#state.offers);
  }

  /** Null where there never was such a queue, or it cannot be found out. */
  queue(): Promise<QueueRow | null> {
    return this.callBridge.queue(this.queueId);
  }

  /** Who is rung with this leg. */
  agentOf(legId: string): string | null {
    return Object.entries(this.#state.offers).find(([, offered]) => offered === legId)?.[0] ?? null;
  }

  begin(call: CallControl, queue: QueueRow): void {
    this.#save(call, { enteredAt: this.callBridge.now });
    call.queue.entered(queue);
    this.callBridge.enter(callerOf(call), queue);
  }

  /** Null for one who does not wait, as far as is known here. */
  standing(call: CallControl): WaitStatus | null {
    return this.callBridge.standing(callerOf(call));
  }

  async decided(call: CallControl, decision: Extract<Decision, { type: 'offer' | 'withdraw' }>): Promise<void> {
    if (decision.type === 'offer') await this.#offer(call, decision.agent, decision.ringSeconds);
    else await this.#withdraw(call, decision.agent);
  }

  /** The agent's phone was not answered. */
  failed(call: CallControl, agent: string, q850: number): void {
    this.#forget(call, agent);
    this.callBridge.refused(callerOf(call), agent, reasonOf(q850));
  }

  /** The leg comes too late, or for nothing. */
  async dismiss(call: CallControl, agent: string, legId: string): Promise<void> {
    this.#forget(call, agent);
    await call.queue.dismiss(legId);
  }

  /** The agent with this leg has the call: all others stop ringing. {@link tellTaken} follows when the two are together. */
  async take(call: CallControl, legId: string): Promise<void> {
    const others = this.legIds.filter((other) => other !== legId);
    this.#save(call, { offers: {} });
    for (const other of others) await call.queue.dismiss(other);
  }

  tellTaken(call: CallControl, agent: string, legId: string): void {
    call.queue.left('answered', agent);
    this.callBridge.answered(callerOf(call), agent, legId);
  }

  /** Nobody is waited for any more, and nobody is told so by the dispatcher. */
  abandon(call: CallControl): void {
    call.queue.left('abandoned');
    this.callBridge.left(callerOf(call));
  }

  /** Nobody rings any more. */
  async silence(call: CallControl): Promise<void> {
    const { legIds } = this;
    this.#save(call, { offers: {} });
    for (const legId of legIds) await call.queue.dismiss(legId);
  }

  /** The application was away: what became of the legs is told. */
  async stands(call: CallControl): Promise<ResumedSearch> {
    for (const [agent, legId] of Object.entries(this.#state.offers)) {
      const leg = call.queue.legs().find((known) => known.legId === legId);
      if (leg?.status === 'answered') return { agent, legId };
      if (!leg || leg.status === 'ended') {
        this.failed(call, agent, leg?.hangupQ850 ?? Q850.NO_ROUTE_DESTINATION);
      }
    }
    const place = await this.#place(call);
    this.#isUnsure = place === 'unknown';
    if (this.#isUnsure) call.startTimer(ASK_AGAIN_MS);
    return place;
  }

  /** Brings who rings together with what the dispatcher decided meanwhile. */
  async catchUp(call: CallControl, place: { readonly entry: { readonly agents: readonly string[] } } | null) {
    const queue = await this.queue();
    if (!place && queue) this.callBridge.enter(callerOf(call), queue);
    const offered = place?.entry.agents ?? [];
    for (const agent of Object.keys(this.#state.offers)) {
      if (!offered.includes(agent)) await this.#withdraw(call, agent);
    }
    for (const agent of offered) await this.#offer(call, agent, queue?.ring_timeout_seconds ?? 0);
  }

  async #offer(call: CallControl, agent: string, ringSeconds: number): Promise<void> {
    if (this.#state.offers[agent] !== undefined) return;
    const legId = newId();
    // Written down with the leg: who takes over here knows whose it is.
    this.#save(call, { offers: { ...this.#state.offers, [agent]: legId } });
    const refused = await call.queue.offer(legId, agent, ringSeconds);
    if (refused !== null) this.failed(call, agent, refused);
  }

  async #withdraw(call: CallControl, agent: string): Promise<void> {
    const legId = this.#state.offers[agent];
    this.#forget(call, agent);
    if (legId !== undefined) await call.queue.dismiss(legId);
  }

  async #place(call: CallControl): Promise<CallerStatus | 'unknown'> {
    try {
      return await this.callBridge.place(callerOf(call), this.queueId, this.#state.enteredAt);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return 'unknown';
    }
  }

  #forget(call: CallControl, agent: string): void {
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

/** Why a phone was not answered, by the cause of its end. */
function reasonOf(q850: number): OfferFailure {
  const { disposition } = outcomeOfUnanswered(q850);
  if (disposition === 'busy' || disposition === 'rejected') return 'rejected';
  return disposition === 'no_answer' ? 'no_answer' : 'unreachable';
}
