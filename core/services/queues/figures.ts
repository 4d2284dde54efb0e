import { AGENT_STATES, type AgentEntry, type AgentState } from '../../model/queue/types.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';

/** A queue's figures at one moment. */
export interface QueueFigures {
  readonly waiting: number;
  /** The longest current wait; 0 if nobody waits. */
  readonly longestWaitMs: number;
  /** Numbers of logged-in agents; a paused agent counts only as `paused`. */
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
