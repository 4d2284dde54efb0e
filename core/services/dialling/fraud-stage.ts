import { HatifError } from '../../model/errors/index.js';
import {
  checksOf,
  isUnlimited,
  limitsOfAgent,
  limitsOfProject,
  refusingNight,
  type NightLimits,
} from '../../model/fraud/limits.js';
import { arabic } from '../../model/wording/wording.js';
import type { DialledLeg, LegStage } from './dialled-leg.js';
import type { FraudGuard } from './fraud-guard.js';
import { classOfLeg, type DiallingRights } from './policy-stage.js';

/**
 * Refuses what may not be called at night, and what an agent or a project may not call because it exceeded a limit
 * against toll fraud. Costs nothing without a limit, otherwise one statement.
 * @param onCounted called with each leg that counts from now on
 * @throws HatifError INSUFFICIENT_PERMISSIONS, OUTBOUND_BLOCKED
 */
export function fraudStage(
  rights: DiallingRights,
  guard: Pick<FraudGuard, 'now' | 'take'> | undefined,
  onCounted: (leg: DialledLeg) => void,
): LegStage {
  return async (leg) => {
    const { organizationId, projectId, agent: extension, to, route, kind, legId } = leg;
    // The project's own phones and numbers cost nothing.
    if (!guard || (to.type !== 'number' && to.type !== 'sip') || route?.billable === false) return;
    const ownOfProject = (await rights.project(projectId))?.fraud_limits ?? null;
    const own =
      extension === null ? null : ((await rights.agentByExtension(projectId, extension))?.fraud_limits ?? null);
    const defaults = await rights.fraudDefaults(organizationId);
    // Limits that are set are checked even if they are empty: a block may be in force.
    if (ownOfProject === null && own === null && isUnlimited(defaults.limits)) return;
    const limits = limitsOfProject(ownOfProject, defaults.limits);
    const ofAgent = extension === null ? {} : limitsOfAgent(limits, own);
    const now = guard.now();
    const called = classOfLeg(to, route, await rights.highRiskPrefixes());
    const night = refusingNight([ofAgent, limits.project], called, now);
    if (night) throw refusedAtNight(night);
    const checks = [...checksOf('agent', ofAgent, now), ...checksOf('project', limits.project, now)];
    const target = route?.number ?? to.target;
    const number = to.type === 'number' ? target : null;
    const outside = { organizationId, projectId, agent: extension, legId, to: target, number, kind };
    await guard.take(outside, checks, defaults.ends_calls === true);
    if (legId !== null) onCounted(leg);
  };
}

function refusedAtNight({ from, to, time_zone }: NightLimits): HatifError {
  const permission = {
    en: `calls to this destination between ${from} and ${to} (${time_zone})`,
    ar: arabic`الاتصال بهذه الوجهة بين ${from} و${to} (${time_zone})`,
  };
  return new HatifError('INSUFFICIENT_PERMISSIONS', { permission });
}
