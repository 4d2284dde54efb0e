import type { Skills } from './skills.js';
import type { AgentEntry, AgentState, CallerEntry } from './types.js';

/** An agent in its initial state. */
export function newAgent(agent: string, priority: number, skills: Skills, now: number): AgentEntry {
  return {
    agent,
    priority,
    skills,
    registered: false,
    paused: null,
    state: 'unavailable',
    idleSince: now,
    legIds: [],
    reservation: null,
    unavailableUntil: null,
    wrapUpUntil: null,
    memberships: [],
  };
}

/** Derives the agent's state from its other fields. */
export function stateOf(agent: AgentEntry): AgentState {
  if (agent.reservation) return agent.reservation.legId === null ? 'ringing' : 'busy';
  if (agent.legIds.length > 0) return 'busy';
  if (!agent.registered || agent.doNotDisturb === true || agent.unavailableUntil !== null) return 'unavailable';
  return agent.wrapUpUntil === null ? 'idle' : 'wrap_up';
}

/** Whether the agent can be rung. */
export function isFree({ state, paused, memberships }: AgentEntry): boolean {
  return state === 'idle' && paused === null && memberships.some(({ isIn }) => isIn);
}

/** When the next timer expires; null if none is running. */
export function firstDue(agents: Iterable<AgentEntry>, callers: Iterable<CallerEntry>): number | null {
  let due: number | null = null;
  const consider = (at: number | null | undefined): void => {
    if (at !== null && at !== undefined && (due === null || at < due)) due = at;
  };
  for (const { reservation, unavailableUntil, wrapUpUntil } of agents) {
    consider(reservation?.until);
    consider(unavailableUntil);
    consider(wrapUpUntil);
  }
  // A caller who is being offered past the maximum wait waits only for the offer's end.
  for (const { dueAt, agents: rung } of callers) if (rung.length === 0) consider(dueAt);
  return due;
}
