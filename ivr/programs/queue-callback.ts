import { outcomeOfUnanswered, Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { VisitOutcome } from '../../core/model/queue/types.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type {
  CallControl,
  CallProgram,
  LegView,
  ProgramSignal,
  ProgramSpec,
} from '../../core/services/call-state/program.js';
import type { QueueCallBridge } from '../../core/services/live-calls/queues/queue-call-bridge.js';
import { NO_QUEUE, NORMAL, QUEUE_TIMEOUT } from '../dialogue/endings.js';
import { withoutLoop } from './overflow.js';
import { AgentSearch, NO_AGENT_SEARCH, type AgentSearchState } from './agent-search.js';

interface State extends AgentSearchState {
  readonly [key: string]: unknown;
  readonly phase: 'waiting' | 'dialling' | 'over';
  /** The leg of the agent who accepted the callback. */
  readonly agentLegId: string | null;
  /** The ringback tone for the agent while the customer's phone rings. */
  readonly ringback: string | null;
  /** What the customer is rung for if no agent took the callback: the queue's overflow. Absent: an agent. */
  readonly next?: ProgramSpec | null;
}

const WAITING: State = { ...NO_AGENT_SEARCH, phase: 'waiting', agentLegId: null, ringback: null, next: null };

/**
 * A queue callback: finds and rings an agent as for a waiting caller, then dials the customer and bridges both. The customer has no leg before
 * that, so the call is `initiated` until then. If no agent takes it, the queue's overflow does: another queue looks for an agent; for any other
 * destination the customer is dialled and, after the answer, sent there.
 */
export class QueueCallbackProgram implements CallProgram {
  #state: State;
  readonly #search: AgentSearch;

  constructor(
    private readonly spec: Extract<ProgramSpec, { type: 'queue_callback' }>,
    private readonly callBridge: QueueCallBridge,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? WAITING;
    this.#search = new AgentSearch(spec, callBridge, this.#state, (call, search) => this.#save(call, { ...search }));
  }

  async start(call: CallControl): Promise<void> {
    const queue = await this.#search.queue();
    if (queue?.removed_at !== null) return this.#end(call, NO_QUEUE);
    this.#search.start(call, queue);
  }

  async resume(call: CallControl): Promise<void> {
    const { phase, enteredAt, agentLegId } = this.#state;
    if (phase === 'over') return;
    if (phase === 'waiting') return enteredAt === 0 ? this.start(call) : this.#continue(call);
    const customer = call.leg('customer');
    if (this.#state.next) return this.#resumeOverflow(call, this.#state.next, customer);
    const agent = call.queue.legs().find(({ legId }) => legId === agentLegId);
    if (agent?.status !== 'answered' || customer?.status === 'ended') await call.end(NORMAL);
    else if (!customer) await this.#ringCustomer(call, agent.legId);
    else if (customer.status === 'answered') await this.#join(call, customer.legId, agent.legId);
    else await this.#ringback(call, agent.legId);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const { phase, agentLegId, next } = this.#state;
    const customer = call.leg('customer');
    const agent = this.#search.agentOf(event.legId);
    if (event.type === 'leg.answered') {
      if (agent !== null) await this.#agentAnswered(call, agent, event.legId);
      else if (event.legId === customer?.legId && next) await call.continueAs(next);
      else if (event.legId === customer?.legId && agentLegId !== null) await this.#join(call, event.legId, agentLegId);
    } else if (event.type === 'leg.ended') {
      if (agent !== null) this.#search.failed(call, agent, event.cause.q850);
      else if (event.legId === customer?.legId) await this.#hangUpAgent(call);
      else if (event.legId === agentLegId && phase === 'dialling') await this.#end(call, NORMAL);
    } else if (event.type === 'leg.progress') {
      if (event.legId === customer?.legId && agentLegId !== null)
        await this.#connectEarlyMedia(call, event.legId, agentLegId);
    }
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (this.#state.phase !== 'waiting') return;
    if (signal.type === 'queue') {
      const { decision } = signal;
      if (decision.type === 'overflow') await this.#overflow(call, decision.reason);
      else await this.#search.apply(call, decision);
    } else if (this.#search.needsRetry) {
      await this.#continue(call);
    }
  }

  /** The callback was cancelled: the agents that it rings are released. */
  async onEnded(call: CallControl): Promise<void> {
    if (this.#state.phase !== 'waiting') return;
    this.#save(call, { phase: 'over' });
    this.#search.abandon(call);
    await this.#search.stopRinging(call);
  }

  /** An agent has answered: dials the customer. */
  async #agentAnswered(call: CallControl, agent: string, legId: string): Promise<void> {
    if (this.#state.phase !== 'waiting') return this.#search.dismiss(call, agent, legId);
    this.#save(call, { phase: 'dialling', agentLegId: legId });
    await this.#search.accept(call, legId);
    await call.queue.take(legId, agent);
    this.#search.reportAnswered(call, agent, legId);
    await this.#ringCustomer(call, legId);
  }

  async #ringCustomer(call: CallControl, agentLegId: string): Promise<void> {
    // Saved together with the new leg: a process that takes over must know the tone's id to stop it.
    const ringback = newId();
    this.#save(call, { ringback });
    if (await this.#dialCustomer(call)) await call.ringback(agentLegId, ringback);
  }

  /** @returns false if the customer cannot be dialled: the call is over. */
  async #dialCustomer(call: CallControl): Promise<boolean> {
    const { to, ringSeconds } = this.spec;
    const dialled = await call.dial('customer', { type: 'number', target: to }, ringSeconds);
    if (!('refused' in dialled)) return true;
    await this.#end(call, { ...outcomeOfUnanswered(dialled.refused), q850: dialled.refused });
    return false;
  }

  /** Restarts the tone, which may have stopped during the restart. */
  async #ringback(call: CallControl, agentLegId: string): Promise<void> {
    await this.#stopRingback(call);
    const ringback = newId();
    this.#save(call, { ringback });
    await call.ringback(agentLegId, ringback);
  }

  async #stopRingback(call: CallControl): Promise<void> {
    const { ringback } = this.#state;
    this.#save(call, { ringback: null });
    if (ringback !== null) await call.stopPlay(ringback);
  }

  /** Lets the agent hear the carrier's early media instead of the tone, if the engine supports it. */
  async #connectEarlyMedia(call: CallControl, customerLegId: string, agentLegId: string): Promise<void> {
    if (!call.queue.hasEarlyMedia || this.#state.ringback === null) return;
    await this.#stopRingback(call);
    await call.join([agentLegId, customerLegId]);
  }

  async #join(call: CallControl, customerLegId: string, agentLegId: string): Promise<void> {
    await this.#stopRingback(call);
    await call.join([agentLegId, customerLegId]);
    await call.continueAs({ type: 'talk' });
  }

  async #hangUpAgent(call: CallControl): Promise<void> {
    const { agentLegId } = this.#state;
    this.#save(call, { phase: 'over' });
    if (agentLegId !== null) await call.hangupLeg(agentLegId, Q850.NORMAL_CLEARING);
  }

  async #overflow(call: CallControl, outcome: VisitOutcome): Promise<void> {
    const queue = await this.#search.queue();
    call.queue.left(outcome);
    const next = withoutLoop(this.spec, queue && (await this.callBridge.overflow(queue)), outcome);
    if (!next) return this.#end(call, outcome === 'queue_removed' ? NO_QUEUE : QUEUE_TIMEOUT);
    if (next.type === 'queue') {
      const { queueId, passed = [] } = next;
      return call.continueAs({ ...this.spec, queueId, passed });
    }
    this.#save(call, { phase: 'dialling', next });
    await this.#dialCustomer(call);
  }

  async #resumeOverflow(call: CallControl, next: ProgramSpec, customer: LegView | null): Promise<void> {
    if (!customer) await this.#dialCustomer(call);
    else if (customer.status === 'answered') await call.continueAs(next);
    else if (customer.status === 'ended') await call.end(NORMAL);
  }

  /** Continues the wait after a restart. */
  async #continue(call: CallControl): Promise<void> {
    const restored = await this.#search.restore(call);
    if (restored === 'unknown') return;
    if (restored && 'agent' in restored) await this.#agentAnswered(call, restored.agent, restored.legId);
    else if (restored && 'outcome' in restored) await this.#overflow(call, restored.outcome);
    else await this.#search.reconcile(call, restored);
  }

  async #end(call: CallControl, ending: Parameters<CallControl['end']>[0]): Promise<void> {
    this.#save(call, { phase: 'over' });
    await call.end(ending);
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
