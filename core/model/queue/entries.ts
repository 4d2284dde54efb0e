import type { AgentEntry, AgentState, CallerEntry } from './types.js';

/** An agent of whom nothing is known yet. */
export function newAgent(agent: string, priority: number, now: number): AgentEntry {
  return {
    agent,
    priority,
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

/** What follows for the agent's state from everything else. */
export function stateOf(agent: AgentEntry): AgentState {
  if (agent.reservation) return agent.reservation.legId === null ? 'ringing' : 'busy';
  if (agent.legIds.length > 0) return 'busy';
  if (!agent.registered || agent.unavailableUntil !== null) return 'unavailable';
  return agent.wrapUpUntil === null ? 'idle' : 'wrap_up';
}

/** Whether the agent can be rung. */
export function isFree({ state, paused, memberships }: AgentEntry): boolean {
  return state === 'idle' && paused === null && memberships.some(({ isIn }) => isIn);
}

/** When time itself changes something next; null while nothing runs out. */
export function firstDue(agents: Iterable<AgentEntry>, callers: Iterable<CallerEntry>): number | null {
  let due: number | null = null;
  const by = (at: number | null | undefined): void => {
    if (at !== null && at !== undefined && (due === null || at < due)) due = at;
  };
  for (const { reservation, unavailableUntil, wrapUpUntil } of agents) {
    by(reservation?.until);
    by(unavailableUntil);
    by(wrapUpUntil);
  }
  // One who is being offered and is past the time waits only for the offer.
  for (const { dueAt, agents: rung } of callers) if (rung.length === 0) by(dueAt);
  return due;
}
