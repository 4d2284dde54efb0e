import type { CallRow } from '../../data/rows.js';
import type { EventType } from '../../model/call/events.js';
import type { VisitOutcome } from '../../model/queue/types.js';
import type { QueuePlace, QueueStay, SavedProgram } from './program.js';

/** The record of a call, as far as waiting goes. */
interface WaitingRecord {
  readonly row: Pick<CallRow, 'program'>;
  set(patch: Partial<CallRow>): void;
  tell(type: EventType, at: Date, data: Readonly<Record<string, unknown>>): void;
}

/** The call waits in the queue from here on. */
export function enterQueue(record: WaitingRecord, { id, name }: QueuePlace, at: Date): void {
  const stay: QueueStay = { id, name, since: at.toISOString() };
  record.set({ served_queue_id: id, program: { ...savedOf(record), stay } });
  record.tell('queue.entered', at, { queue_id: id, queue: name });
}

/** The waiting is over, if the call waits. @param agent who took the call */
export function leaveQueue(record: WaitingRecord, outcome: VisitOutcome, agent: string | null, at: Date): void {
  const { stay } = savedOf(record);
  if (!stay) return;
  const waited = Math.max(0, Math.round((at.getTime() - Date.parse(stay.since)) / 1000));
  record.set({ queued_seconds: waited, program: { ...savedOf(record), stay: null } });
  const told = { queue_id: stay.id, queue: stay.name, outcome, agent, waited_seconds: waited };
  record.tell('queue.left', at, told);
}

function savedOf({ row }: WaitingRecord): SavedProgram {
  return row.program as SavedProgram;
}
