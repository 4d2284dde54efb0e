import { isDeepStrictEqual } from 'node:util';
import type { AgentRow, QueueRow } from '../../data/rows.js';
import { NO_SKILLS, type Skills } from '../../model/queue/skills.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';
import type { AgentEntry, QueueEvent, QueueRules } from '../../model/queue/types.js';
import type { QueueCoordinator } from './coordinator.js';

/** An agent's actual state, whatever the dispatcher has recorded. */
export interface AgentFacts {
  readonly agent: string;
  readonly priority: number;
  readonly skills: Skills;
  readonly registered: boolean;
  readonly doNotDisturb: boolean;
  /** Ids of the softphone's legs that have not ended. */
  readonly liveLegIds: readonly string[];
  /** Ids of those legs known to the dispatcher that have ended. */
  readonly endedLegIds: ReadonlySet<string>;
}

export function rulesOf(queue: QueueRow): QueueRules {
  return {
    id: queue.id,
    strategy: queue.strategy,
    wrapUpSeconds: queue.wrap_up_seconds,
    ringTimeoutSeconds: queue.ring_timeout_seconds,
    maxWaitSeconds: queue.max_wait_seconds,
    maxLength: queue.max_length,
    unavailableSeconds: queue.unavailable_seconds,
    requiredSkills: queue.required_skills,
    skillsTimeoutSeconds: queue.skills_timeout_seconds,
  };
}

/** Returns the events that bring the dispatcher's copy of the queue up to date. */
export function queueFacts(dispatcher: Dispatcher, row: QueueRow): QueueEvent[] {
  const queue = rulesOf(row);
  const known = dispatcher.queue(row.id)?.rules;
  const names = Object.keys(queue) as (keyof QueueRules)[];
  const isKnown = known && names.every((name) => isDeepStrictEqual(known[name], queue[name]));
  return isKnown ? [] : [{ type: 'queue_put', queue }];
}

/** Returns the events that bring the dispatcher's copy of the agent up to date. */
export function agentFacts(dispatcher: Dispatcher, facts: AgentFacts): QueueEvent[] {
  const { agent, priority, skills, registered, doNotDisturb, liveLegIds, endedLegIds } = facts;
  const known = dispatcher.agent(agent);
  const legIds = known?.legIds ?? [];
  const talking = known?.reservation?.legId ?? null;
  return [
    ...(isKnownAs(known, facts) ? [] : [{ type: 'agent_put', agent, priority, skills } as const]),
    ...((known?.registered ?? false) === registered ? [] : [{ type: 'registration', agent, registered } as const]),
    ...doNotDisturbFacts(known, agent, doNotDisturb),
    ...liveLegIds
      .filter((legId) => !legIds.includes(legId))
      .map((legId) => ({ type: 'leg_began', agent, legId }) as const),
    ...[...new Set([...legIds, ...(talking === null ? [] : [talking])])]
      .filter((legId) => endedLegIds.has(legId))
      .map((legId) => ({ type: 'leg_ended', agent, legId }) as const),
  ];
}

function doNotDisturbFacts(
  known: Readonly<AgentEntry> | undefined,
  agent: string,
  on: boolean,
): Extract<QueueEvent, { type: 'do_not_disturb' }>[] {
  return (known?.doNotDisturb ?? false) === on ? [] : [{ type: 'do_not_disturb', agent, on }];
}

type ReportedAgent = Pick<AgentRow, 'agent' | 'priority' | 'skills' | 'forwarding'>;

/** Returns a function that reports changed or removed agents to the dispatcher. */
export function agentChangeReporter(
  coordinator: Pick<QueueCoordinator, 'notifyReliably'>,
): (projectId: string, agent: ReportedAgent, change: 'changed' | 'removed') => void {
  return (projectId, { agent, priority, skills, forwarding }, change) => {
    coordinator.notifyReliably(projectId, (dispatcher) => {
      const known = dispatcher.agent(agent);
      if (!known) return [];
      if (change === 'removed') return [{ type: 'agent_removed', agent }];
      return [
        ...(isKnownAs(known, { priority, skills }) ? [] : [{ type: 'agent_put', agent, priority, skills } as const]),
        ...doNotDisturbFacts(known, agent, forwarding.do_not_disturb),
      ];
    });
  };
}

function isKnownAs(
  known: Readonly<AgentEntry> | undefined,
  { priority, skills }: Pick<AgentRow, 'priority' | 'skills'>,
) {
  return known?.priority === priority && isDeepStrictEqual(known.skills ?? NO_SKILLS, skills);
}
