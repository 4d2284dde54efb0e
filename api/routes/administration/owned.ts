import { idOutput } from '../../../core/model/objects/fields.js';

/** Whose thing it is, in the answers for administrators. */
export const ownerFields = { organization_id: idOutput, project_id: idOutput };

interface OfProject {
  readonly organization_id: string;
  readonly project_id: string;
}

export function ownerIn({ organization_id, project_id }: OfProject): OfProject {
  return { organization_id, project_id };
}

/** For the audit log: the organization whose thing an administrator changes, and the change. */
export function noteOf(
  { organization_id, project_id }: OfProject,
  change: Readonly<Record<string, unknown>> = {},
): { organizationId: string; projectId: string; details: Readonly<Record<string, unknown>> } {
  return { organizationId: organization_id, projectId: project_id, details: change };
}
