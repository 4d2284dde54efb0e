import type { AgentEntry, Strategy } from './types.js';

export interface Choice {
  readonly queueId: string;
  /** The agent that this queue's round robin chose last. */
  readonly lastAgent: string | null;
  /** From 0 to below 1; the same for the same log. */
  readonly random: () => number;
}

/** Chooses the agents to ring among those who can take the call (at least one). */
type Choose = (agents: readonly AgentEntry[], choice: Choice) => readonly AgentEntry[];

/**
 * The agent with the lowest measure. Ties go to the longest idle, then by name, so that the same
 * log gives the same choice.
 */
function lowestBy(measure: (agent: AgentEntry, queueId: string) => number): Choose {
  return (agents, { queueId }) => [
    agents.reduce((best, agent) => {
      const difference =
        measure(agent, queueId) - measure(best, queueId) || agent.idleSince - best.idleSince || byName(agent, best);
      return difference < 0 ? agent : best;
    }),
  ];
}

function byName(one: AgentEntry, other: AgentEntry): number {
  return one.agent < other.agent ? -1 : 1;
}

function inQueue(agent: AgentEntry, queueId: string): { readonly calls: number; readonly talkMs: number } {
  return agent.memberships.find((membership) => membership.queueId === queueId) ?? { calls: 0, talkMs: 0 };
}

/** How each strategy chooses. */
export const CHOOSE: Readonly<Record<Strategy, Choose>> = {
  longest_idle: lowestBy(({ idleSince }) => idleSince),
  fewest_calls: lowestBy((agent, queueId) => inQueue(agent, queueId).calls),
  least_talk_time: lowestBy((agent, queueId) => inQueue(agent, queueId).talkMs),
  priority: lowestBy(({ priority }) => priority),
  ring_all: (agents) => [...agents].sort(byName),
  random: (agents, { random }) => {
    const sorted = [...agents].sort(byName);
    return sorted.splice(Math.floor(random() * sorted.length), 1);
  },
  round_robin: (agents, { lastAgent }) => {
    const sorted = [...agents].sort(byName);
    const next = sorted.find(({ agent }) => lastAgent === null || agent > lastAgent) ?? sorted[0];
    return next ? [next] : [];
  },
};
