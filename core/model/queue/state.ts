import { firstDue, isFree, stateOf } from './entries.js';
import { nextRandom } from './random.js';
import type { AgentEntry, CallerEntry, QueueEntry, QueueSnapshot } from './types.js';

/** A project of which nothing is known yet. */
export const EMPTY_SNAPSHOT: QueueSnapshot = { sequence: 0, now: 0, random: 1, queues: [], agents: [], callers: [] };

/** What is known of a project's queues, agents and waiting callers at one time. */
export class QueueState {
  protected applied: number;
  protected now: number;
  #random: number;
  protected readonly queuesById = new Map<string, QueueEntry>();
  protected readonly agentsByName = new Map<string, AgentEntry>();
  protected readonly callersByCall = new Map<string, CallerEntry>();
  /** Agents who can be rung. */
  protected readonly free = new Set<AgentEntry>();

  constructor(snapshot: QueueSnapshot = EMPTY_SNAPSHOT) {
    this.applied = snapshot.sequence;
    this.now = snapshot.now;
    this.#random = snapshot.random;
    for (const queue of snapshot.queues) this.queuesById.set(queue.rules.id, structuredClone(queue));
    for (const entry of snapshot.agents) {
      const agent = structuredClone(entry);
      this.agentsByName.set(agent.agent, agent);
      if (isFree(agent)) this.free.add(agent);
    }
    for (const caller of snapshot.callers) this.callersByCall.set(caller.callId, structuredClone(caller));
  }

  snapshot(): QueueSnapshot {
    return structuredClone({
      sequence: this.applied,
      now: this.now,
      random: this.#random,
      queues: [...this.queuesById.values()],
      agents: [...this.agentsByName.values()],
      callers: [...this.callersByCall.values()],
    });
  }

  /** How many events were applied. */
  get sequence(): number {
    return this.applied;
  }

  get queues(): readonly Readonly<QueueEntry>[] {
    return [...this.queuesById.values()];
  }

  get agents(): readonly Readonly<AgentEntry>[] {
    return [...this.agentsByName.values()];
  }

  queue(queueId: string): Readonly<QueueEntry> | undefined {
    return this.queuesById.get(queueId);
  }

  agent(agent: string): Readonly<AgentEntry> | undefined {
    return this.agentsByName.get(agent);
  }

  caller(callId: string): Readonly<CallerEntry> | undefined {
    return this.callersByCall.get(callId);
  }

  /** Who waits, first come first; of one queue, where one is named. */
  waiting(queueId?: string): readonly Readonly<CallerEntry>[] {
    const all = [...this.callersByCall.values()];
    return queueId === undefined ? all : all.filter((caller) => caller.queueId === queueId);
  }

  /** When a tick will change something; null while nothing runs out. */
  get dueAt(): number | null {
    return firstDue(this.agentsByName.values(), this.callersByCall.values());
  }

  /** Brings the agent's state up to date with all that is known of the agent. */
  protected settle(agent: AgentEntry): void {
    const state = stateOf(agent);
    if (state === 'idle' && agent.state !== 'idle') agent.idleSince = this.now;
    agent.state = state;
    if (isFree(agent) && this.agentsByName.has(agent.agent)) this.free.add(agent);
    else this.free.delete(agent);
  }

  /** The next of a row that the snapshot determines, from 0 to below 1. */
  protected nextRandom(): number {
    const { value, state } = nextRandom(this.#random);
    this.#random = state;
    return value;
  }
}
