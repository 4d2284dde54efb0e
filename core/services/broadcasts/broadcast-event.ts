import { projectEvent } from '../../data/outbox.js';
import type { BroadcastRow, EventRow } from '../../data/rows.js';
import { countsOf, type Counted } from './counts.js';
import { eventedBroadcastOf } from './present.js';

export type BroadcastEventName = 'started' | 'progress' | 'paused' | 'resumed' | 'completed' | 'cancelled';

/** The event about a change of a broadcast, for the transaction of the change. @param row as it is after the change */
export function broadcastEvent(name: BroadcastEventName, row: BroadcastRow, counted: Counted, at: Date): EventRow {
  const { organization_id, project_id, sandbox } = row;
  const data = eventedBroadcastOf(row, countsOf(row, counted));
  return projectEvent({ organization_id, project_id, sandbox, created_at: at, type: `broadcast.${name}`, data });
}
