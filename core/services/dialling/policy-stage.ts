import type { AgentRow, ProjectRow } from '../../data/rows.js';
import type { Destination } from '../../model/call/destinations.js';
import { HatifError } from '../../model/errors/index.js';
import { destinationClassOf, type DestinationClass } from '../../model/number/destination-class.js';
import { arabic } from '../../model/wording/wording.js';
import type { DialRoute } from '../routing/destinations.js';
import type { LegStage } from './dialled-leg.js';

export interface DiallingRights {
  project(projectId: string): Promise<Pick<ProjectRow, 'destination_classes' | 'max_calls' | 'fraud_limits'> | null>;
  agentByExtension(
    projectId: string,
    agent: string,
  ): Promise<Pick<AgentRow, 'may_call_out' | 'destination_classes' | 'fraud_limits'> | null>;
}

/** The class of the outside number that a leg reaches; null if it stays inside or reaches no number. */
export function classOfLeg(to: Destination, route: DialRoute | null): DestinationClass | null {
  if (to.type !== 'number' || route?.billable === false) return null;
  return destinationClassOf(route?.number ?? to.target);
}

/**
 * Refuses destination classes that the project, or the agent who dials or whose calls are forwarded, may not call.
 * @throws HatifError INSUFFICIENT_PERMISSIONS
 */
export function policyStage(rights: DiallingRights): LegStage {
  return ({ to, route, projectId, dialler, forwarder }) =>
    checkClass(rights, { projectId, agent: dialler ?? forwarder ?? null }, classOfLeg(to, route));
}

/**
 * @param agent who needs the right; null: only the project does
 * @throws HatifError INSUFFICIENT_PERMISSIONS
 */
export async function checkClass(
  rights: DiallingRights,
  { projectId, agent: extension }: { readonly projectId: string; readonly agent: string | null },
  needed: DestinationClass | null,
): Promise<void> {
  if (needed === null) return;
  const project = await rights.project(projectId);
  const agent = extension === null ? null : await rights.agentByExtension(projectId, extension);
  const mayAgent = extension === null || (agent?.may_call_out === true && agent.destination_classes.includes(needed));
  if (mayAgent && project?.destination_classes.includes(needed) === true) return;
  const permission = {
    en: `calls to the destination class ${needed}`,
    ar: arabic`الاتصال بفئة الوجهات ${needed}`,
  };
  throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission });
}
