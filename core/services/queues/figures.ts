import { AGENT_STATES, type AgentEntry, type AgentState } from '../../model/queue/types.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';

/** A queue's figures at one moment. */
export interface QueueFigures {
  readonly waiting: number;
  /** The longest current wait; 0 if nobody waits. */
  readonly longestWaitMs: number;
  /** Numbers of logged-in agents; a paused agent counts only as `paused`. */
  readonly agents: Readonly<Record<AgentState | 'paused', number>>;
  /** Numbers of paused agents by the reason of the pause, most frequent first; null: no reason was given. */
  readonly pauses: readonly { readonly reason: string | null; readonly agents: number }[];
}

export function figuresOf(dispatcher: Dispatcher, queueId: string, now: Date): QueueFigures {
  const waiting = dispatcher.waiting(queueId);
  return {
    waiting: waiting.length,
    longestWaitMs: Math.max(0, ...waiting.map(({ enteredAt }) => now.getTime() - enteredAt)),
    ...agentsOf(dispatcher, queueId),
  };
}

function agentsOf(dispatcher: Dispatcher, queueId: string): Pick<QueueFigures, 'agents' | 'pauses'> {
  const counts = Object.fromEntries([...AGENT_STATES, 'paused'].map((state) => [state, 0])) as Record<
    AgentState | 'paused',
    number
  >;
  const isIn = ({ memberships }: AgentEntry): boolean =>
    memberships.some((membership) => membership.queueId === queueId && membership.isIn);
  const reasons = new Map<string | null, number>();
  for (const entry of dispatcher.agents.filter(isIn)) {
    counts[entry.paused ? 'paused' : entry.state] += 1;
    if (entry.paused) reasons.set(entry.paused.reason, (reasons.get(entry.paused.reason) ?? 0) + 1);
  }
  const pauses = [...reasons].map(([reason, agents]) => ({ reason, agents })).sort((a, b) => b.agents - a.agents);
  return { agents: counts, pauses };
}
