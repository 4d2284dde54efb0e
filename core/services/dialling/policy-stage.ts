import type { AgentRow, ProjectRow } from '../../data/rows.js';
import type { Destination } from '../../model/call/destinations.js';
import { HatifError } from '../../model/errors/index.js';
import type { FraudDefaults } from '../../model/fraud/limits.js';
import { destinationClassOf, type DestinationClass } from '../../model/number/destination-class.js';
import { arabic } from '../../model/wording/wording.js';
import type { DialRoute } from '../routing/destinations.js';
import { GUEST, type LegStage } from './dialled-leg.js';

export interface DiallingRights {
  project(projectId: string): Promise<Pick<ProjectRow, 'destination_classes' | 'max_calls' | 'fraud_limits'> | null>;
  agentByExtension(
    projectId: string,
    agent: string,
  ): Promise<Pick<AgentRow, 'may_call_out' | 'destination_classes' | 'fraud_limits'> | null>;
  /** What the organization and the installation set against toll fraud. */
  fraudDefaults(organizationId: string): Promise<FraudDefaults>;
  /** The prefixes, in E.164, whose numbers count as premium. */
  highRiskPrefixes(): Promise<readonly string[]>;
}

/** A number is of a class that may not be called. */
export class ClassRefused extends HatifError<'INSUFFICIENT_PERMISSIONS'> {
  constructor(readonly destinationClass: DestinationClass) {
    super('INSUFFICIENT_PERMISSIONS', {
      permission: {
        en: `calls to the destination class ${destinationClass}`,
        ar: arabic`الاتصال بفئة الوجهات ${destinationClass}`,
      },
    });
  }
}

/**
 * The class of the outside number that a leg reaches; null if it stays inside or reaches no number.
 * @param highRisk prefixes whose numbers count as premium
 */
export function classOfLeg(
  to: Destination,
  route: DialRoute | null,
  highRisk: readonly string[] = [],
): DestinationClass | null {
  if (to.type !== 'number' || route?.billable === false) return null;
  return destinationClassOf(route?.number ?? to.target, highRisk);
}

/**
 * Refuses destination classes that the project, or the agent who dials or whose calls are forwarded, may not call.
 * @throws HatifError INSUFFICIENT_PERMISSIONS
 */
export function policyStage(rights: DiallingRights): LegStage {
  return async ({ to, route, projectId, dialler, forwarder }) => {
    // Calls inside need no look-up.
    if (classOfLeg(to, route) === null) return;
    const needed = classOfLeg(to, route, await rights.highRiskPrefixes());
    await checkClass(rights, { projectId, agent: (dialler === GUEST ? null : dialler) ?? forwarder ?? null }, needed);
  };
}

/**
 * @param agent who needs the right; null: only the project does
 * @throws HatifError INSUFFICIENT_PERMISSIONS
 */
export async function checkClass(
  rights: Pick<DiallingRights, 'project' | 'agentByExtension'>,
  { projectId, agent: extension }: { readonly projectId: string; readonly agent: string | null },
  needed: DestinationClass | null,
): Promise<void> {
  if (needed === null) return;
  const project = await rights.project(projectId);
  const agent = extension === null ? null : await rights.agentByExtension(projectId, extension);
  const mayAgent = extension === null || (agent?.may_call_out === true && agent.destination_classes.includes(needed));
  if (mayAgent && project?.destination_classes.includes(needed) === true) return;
  throw new ClassRefused(needed);
}
