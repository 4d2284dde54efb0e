import type { CallRow } from '../../data/rows.js';
import type { EventData, EventType } from '../../model/events/index.js';
import type { VisitOutcome } from '../../model/queue/types.js';
import type { QueuePlace, QueueWait, SavedProgram } from './program.js';

/** The part of a call's state that concerns queues. */
interface WaitingRecord {
  readonly row: Pick<CallRow, 'program'>;
  set(patch: Partial<CallRow>): void;
  emit<T extends EventType>(type: T, at: Date, data: EventData<T>): void;
}

/** Starts the call's wait in the queue. */
export function enterQueue(state: WaitingRecord, { id, name }: QueuePlace, at: Date): void {
  const queueWait: QueueWait = { id, name, since: at.toISOString() };
  state.set({ served_queue_id: id, program: { ...savedOf(state), queueWait } });
  state.emit('queue.entered', at, { queue_id: id, queue: name });
}

/** Ends the call's wait, if it waits. @param agent who took the call */
export function leaveQueue(state: WaitingRecord, outcome: VisitOutcome, agent: string | null, at: Date): void {
  const { queueWait } = savedOf(state);
  if (!queueWait) return;
  const waited = Math.max(0, Math.round((at.getTime() - Date.parse(queueWait.since)) / 1000));
  state.set({ queued_seconds: waited, program: { ...savedOf(state), queueWait: null } });
  const data = { queue_id: queueWait.id, queue: queueWait.name, outcome, agent, waited_seconds: waited };
  state.emit('queue.left', at, data);
}

function savedOf({ row }: WaitingRecord): SavedProgram {
  return row.program as SavedProgram;
}
