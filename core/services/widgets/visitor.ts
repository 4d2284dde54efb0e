import type { HatifError } from '../../model/errors/index.js';
import { callFailed, type Placer } from '../calls/placement.js';
import type { WidgetContext } from './gate.js';

/** The visitor who makes a request. */
export interface Visitor {
  readonly ip: string;
  readonly requestId: string;
}

/** The project on whose behalf a visitor's calls are placed. */
export function placerOf({ row, project }: WidgetContext, { requestId }: Visitor): Placer {
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    mainNumber: project.main_number,
    keyId: row.id,
    requestId,
  };
}

/** The error with which a visitor is refused for a reason that is the owner's: what it may spend or do. */
export function unavailable(cause?: unknown): HatifError {
  return callFailed('calls are not available now', 'المكالمات غير متاحة الآن', cause);
}
