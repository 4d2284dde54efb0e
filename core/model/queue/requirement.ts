import { bothRequired, hasSkills, isEmpty, NO_SKILLS, type Skills } from './skills.js';
import type { AgentEntry, CallerEntry, QueueRules } from './types.js';

type Rules = Pick<QueueRules, 'requiredSkills' | 'skillsTimeoutSeconds'>;

/** The skills that an agent needs to be rung for the caller at this time: none once the queue has relaxed them. */
export function requiredSkills(caller: Readonly<CallerEntry>, rules: Rules | undefined, now: number): Skills {
  const relaxedAt = relaxesAt(caller, rules);
  return relaxedAt !== null && relaxedAt <= now ? NO_SKILLS : askedSkills(caller, rules);
}

/** When agents without the skills may be rung, too; null if nothing is required, or the queue never relaxes it. */
export function relaxesAt(caller: Readonly<CallerEntry>, rules: Rules | undefined): number | null {
  const seconds = rules?.skillsTimeoutSeconds ?? null;
  return seconds === null || isEmpty(askedSkills(caller, rules)) ? null : caller.enteredAt + seconds * 1000;
}

/** Whether the agent is signed in to the caller's queue and has the skills. */
export function canServe(
  { memberships, skills = NO_SKILLS }: Readonly<AgentEntry>,
  queueId: string,
  required: Skills,
): boolean {
  return (
    memberships.some((membership) => membership.queueId === queueId && membership.isIn) && hasSkills(skills, required)
  );
}

function askedSkills(caller: Readonly<CallerEntry>, rules: Rules | undefined): Skills {
  return bothRequired(rules?.requiredSkills ?? NO_SKILLS, caller.requiredSkills ?? NO_SKILLS);
}
