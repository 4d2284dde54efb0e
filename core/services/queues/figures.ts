import { AGENT_STATES, type AgentEntry, type AgentState } from '../../model/queue/types.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';

/** How a queue is at a moment. */
export interface QueueFigures {
  readonly waiting: number;
  /** Of those who wait now; 0 where nobody does. */
  readonly longestWaitMs: number;
  /** Who is logged in; who is paused counts as that only. */
  readonly agents: Readonly<Record<AgentState | 'paused', number>>;
}

export function figuresOf(dispatcher: Dispatcher, queueId: string, now: Date): QueueFigures {
  const waiting = dispatcher.waiting(queueId);
  return {
    waiting: waiting.length,
    longestWaitMs: Math.max(0, ...waiting.map(({ enteredAt }) => now.getTime() - enteredAt)),
    agents: agentsOf(dispatcher, queueId),
  };
}

function agentsOf(dispatcher: Dispatcher, queueId: string): QueueFigures['agents'] {
  const counts = Object.fromEntries([...AGENT_STATES, 'paused'].map((state) => [state, 0])) as Record<
    AgentState | 'paused',
    number
  >;
  const isIn = ({ memberships }: AgentEntry): boolean =>
    memberships.some((membership) => membership.queueId === queueId && membership.isIn);
  for (const entry of dispatcher.agents) if (isIn(entry)) counts[entry.paused ? 'paused' : entry.state] += 1;
  return counts;
}
