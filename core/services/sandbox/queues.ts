import type { QueueRow } from '../../data/rows.js';
import type { AgentQueuesObject } from '../queues/agent-queues.js';
import type { AgentStatsObject } from '../queues/agent-stats.js';
import type { MemberObject, QueueStatsObject } from '../queues/read.js';

/**
 * What sandbox keys see of queues and agents, which have no kind: neither personal data nor live calls, nor live
 * resources that are used elsewhere.
 */
export function queueInSandbox(row: QueueRow): QueueRow {
  const { overflow } = row;
  return { ...row, music: null, overflow: overflow.type === 'queue' ? overflow : { ...overflow, target: null } };
}

interface ShownAgent {
  readonly agent: string;
  readonly display_name: string;
  readonly sip_username: string | null;
  readonly pause: { readonly reason: string | null; readonly since: string } | null;
}

export function agentInSandbox<Agent extends ShownAgent>(agent: Agent): Agent {
  const pause = agent.pause && { ...agent.pause, reason: null };
  return { ...agent, display_name: agent.agent, sip_username: null, pause };
}

export function memberInSandbox(member: MemberObject): MemberObject {
  return { ...member, pause_reason: null, calls_taken: 0 };
}

export function agentQueuesInSandbox({ queues, pause, ...rest }: AgentQueuesObject): AgentQueuesObject {
  return {
    ...rest,
    pause: pause && { ...pause, reason: null },
    queues: queues.map((queue) => ({ ...queue, calls_taken: 0, waiting: null })),
  };
}

export function statsInSandbox(stats: QueueStatsObject): QueueStatsObject {
  const { paused } = stats.agents;
  return {
    ...stats,
    waiting: 0,
    longest_wait: 0,
    pauses: paused === 0 ? [] : [{ reason: null, agents: paused }],
    offered: 0,
    answered: 0,
    abandoned: 0,
    overflowed: 0,
    service_level: null,
    average_wait: null,
    average_talk: null,
  };
}

export function agentStatsInSandbox({ agent, period }: AgentStatsObject): AgentStatsObject {
  const none = { offered: 0, answered: 0, missed: 0, withdrawn: 0 };
  const noTime = { signed_in_seconds: 0, talk_seconds: 0, hold_seconds: 0, wrap_up_seconds: 0, paused_seconds: 0 };
  return { agent, period, ...none, ...noTime, pauses: [] };
}
