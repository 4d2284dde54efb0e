import { projectEvent } from '../../../data/outbox.js';
import type { EventRow, WebchatRow } from '../../../data/rows.js';
import type { ChatState } from '../../../model/objects/chat.js';
import { isoTime } from '../../../model/time.js';

/** A chat as its conversation shows it. */
export function presentChat(row: WebchatRow): ChatState {
  const { status, widget_id, queue_id, visitor_name, language } = row;
  return {
    ...{ status, widget_id, queue_id, visitor_name, language },
    waiting_since: isoTime(row.waiting_since),
    offered_until: isoTime(row.offered_until),
    assigned_at: isoTime(row.assigned_at),
    closed_at: isoTime(row.closed_at),
  };
}

/** The event about the status of a chat in which the visitor has written, for the transaction of the change. */
export function chatEvent(row: WebchatRow, agent: string | null, at: Date): EventRow {
  const { id, organization_id, project_id, sandbox, thread_id, status } = row;
  if (thread_id === null || status === 'new') throw new Error('a chat without a message is shown to nobody');
  return projectEvent({
    ...{ organization_id, project_id, sandbox, created_at: at },
    type: `chat.${status}`,
    data: { ...presentChat(row), thread_id, with: id, agent, sandbox },
  });
}
