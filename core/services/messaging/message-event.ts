import { projectEvent } from '../../data/outbox.js';
import type { LockedMessage } from '../../data/repositories/messaging/submissions.js';
import type { EventRow, MessageRow } from '../../data/rows.js';
import { eventedMessageOf, presentExtra } from './present.js';

/** What an event needs of a message. Only one that was received shows what it says. */
type ReportedMessage = LockedMessage & Partial<Pick<MessageRow, 'body' | 'content'>>;

/** The event about a message that was accepted or has changed its status, for the transaction of the change. */
export function messageEvent(row: ReportedMessage, at: Date): EventRow {
  const { organization_id, project_id, sandbox, status } = row;
  const owner = { organization_id, project_id, sandbox, created_at: at };
  const data = eventedMessageOf(row);
  switch (status) {
    case 'received':
      return projectEvent({
        ...owner,
        type: 'message.received',
        data: { ...data, text: row.body ?? '', content: presentExtra(row.content ?? null) },
      });
    case 'queued':
    case 'sent':
    case 'delivered':
    case 'read':
    case 'failed':
      return projectEvent({ ...owner, type: `message.${status}`, data });
    case 'cancelled':
      throw new Error('the cancellation of a message is no event: the client who cancels it gets the answer');
  }
}
