import type { VisitOutcome } from '../../model/queue/types.js';
import type { CallRecord } from '../calls/call-record.js';
import type { QueuePlace, QueueStay, SavedProgram } from '../calls/program.js';

/** The call waits in the queue from here on. */
export function enterQueue(record: CallRecord, { id, name }: QueuePlace, at: Date): void {
  const stay: QueueStay = { id, name, since: at.toISOString() };
  record.set({ served_queue_id: id, program: { ...savedOf(record), stay } });
  record.tell('queue.entered', at, { queue_id: id, queue: name });
}

/** The waiting is over, if the call waits. @param agent who took the call */
export function leaveQueue(record: CallRecord, outcome: VisitOutcome, agent: string | null, at: Date): void {
  const { stay } = savedOf(record);
  if (!stay) return;
  const waited = Math.max(0, Math.round((at.getTime() - Date.parse(stay.since)) / 1000));
  record.set({ queued_seconds: waited, program: { ...savedOf(record), stay: null } });
  const told = { queue_id: stay.id, queue: stay.name, outcome, agent, waited_seconds: waited };
  record.tell('queue.left', at, told);
}

function savedOf({ row }: CallRecord): SavedProgram {
  return row.program as SavedProgram;
}
