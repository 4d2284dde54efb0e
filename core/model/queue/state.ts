import { firstDue, isFree, stateOf } from './entries.js';
import { nextRandom } from './random.js';
import { canServe, relaxesAt, requiredSkills } from './requirement.js';
import type { Skills } from './skills.js';
import type { AgentEntry, CallerEntry, QueueEntry, QueueSnapshot } from './types.js';

/** The initial state of a project. */
export const EMPTY_SNAPSHOT: QueueSnapshot = { sequence: 0, now: 0, random: 1, queues: [], agents: [], callers: [] };

/** The state of a project's queues, agents and waiting callers at one time. */
export class QueueState {
  protected applied: number;
  protected now: number;
  #random: number;
  protected readonly queuesById = new Map<string, QueueEntry>();
  protected readonly agentsByName = new Map<string, AgentEntry>();
  protected readonly callersByCall = new Map<string, CallerEntry>();
  /** Agents that can be rung. */
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
    return structuredClone(this.#current());
  }

  /** The snapshot as JSON, without the copy. */
  serialized(): string {
    return JSON.stringify(this.#current());
  }

  /** The number of agents and callers, most of a snapshot. */
  get size(): number {
    return this.agentsByName.size + this.callersByCall.size;
  }

  #current(): QueueSnapshot {
    return {
      sequence: this.applied,
      now: this.now,
      random: this.#random,
      queues: [...this.queuesById.values()],
      agents: [...this.agentsByName.values()],
      callers: [...this.callersByCall.values()],
    };
  }

  /** Number of applied events. */
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

  /** Waiting callers in order of arrival; of one queue if an id is given. */
  waiting(queueId?: string): readonly Readonly<CallerEntry>[] {
    const all = [...this.callersByCall.values()];
    return queueId === undefined ? all : all.filter((caller) => caller.queueId === queueId);
  }

  /** When a tick will change something; null if no timer is running. */
  get dueAt(): number | null {
    let due = firstDue(this.agentsByName.values(), this.callersByCall.values());
    for (const caller of this.callersByCall.values()) {
      const at = relaxesAt(caller, this.queuesById.get(caller.queueId)?.rules);
      if (at !== null && at > this.now && (due === null || at < due)) due = at;
    }
    return due;
  }

  /** The skills that an agent needs to be rung for the caller now. */
  requiredBy(caller: Readonly<CallerEntry>): Skills {
    return requiredSkills(caller, this.queuesById.get(caller.queueId)?.rules, this.now);
  }

  /** Whether the agent is signed in to the caller's queue and has the skills that the caller needs now. */
  canServe(agent: Readonly<AgentEntry>, caller: Readonly<CallerEntry>): boolean {
    return canServe(agent, caller.queueId, this.requiredBy(caller));
  }

  /** Recomputes the agent's state from its other fields. */
  protected settle(agent: AgentEntry): void {
    const state = stateOf(agent);
    if (state === 'idle' && agent.state !== 'idle') agent.idleSince = this.now;
    agent.state = state;
    if (isFree(agent) && this.agentsByName.has(agent.agent)) this.free.add(agent);
    else this.free.delete(agent);
  }

  /** The next pseudo-random number, determined by the snapshot, from 0 to below 1. */
  protected nextRandom(): number {
    const { value, state } = nextRandom(this.#random);
    this.#random = state;
    return value;
  }
}
