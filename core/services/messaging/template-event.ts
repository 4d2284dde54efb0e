import { projectEvent } from '../../data/outbox.js';
import type { EventRow, MessageTemplateRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';

/** The event about a new content or status of a template, for the transaction of the change. */
export function templateUpdated(row: MessageTemplateRow): EventRow {
  const { organization_id, project_id, sandbox, updated_at } = row;
  const { id, channel, name, language, category, status, rejection_reason } = row;
  return projectEvent({
    organization_id,
    project_id,
    sandbox,
    type: 'template.updated',
    data: {
      ...{ id, channel, name, language, category, status, rejection_reason, sandbox },
      updated_at: isoTime(updated_at),
    },
    created_at: updated_at,
  });
}
