import type { HatifError } from '../../model/errors/index.js';
import { callFailed, type Placer } from '../calls/placement.js';
import type { WidgetContext } from './gate.js';

/** The visitor who makes a request. */
/** The chat from which a visitor calls. */
export interface CallingChat {
  readonly threadId: string;
  /** The agent who has it, if the telephone of the agent can ring; null: the destination of the widget. */
  readonly agent: string | null;
}

/** @throws HatifError NOT_FOUND for a token that opens no chat of the widget */
export type ChatLookup = (widget: WidgetContext, token: string) => Promise<CallingChat>;

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
