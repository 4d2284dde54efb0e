import type { Placer } from '../calls/placement.js';
import type { KnownWidget } from './gate.js';

/** Who asks. */
export interface Visitor {
  readonly ip: string;
  readonly requestId: string;
}

/** On whose behalf a visitor has calls placed. */
export function placerOf({ row, project }: KnownWidget, { requestId }: Visitor): Placer {
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    mainNumber: project.main_number,
    keyId: row.id,
    requestId,
  };
}
