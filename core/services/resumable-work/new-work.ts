import type { WorkRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';

/** The columns of work that nobody has begun, all but those that say what is to be done. */
export function newWork(requestId: string, now: Date): Omit<WorkRow, 'organization_id' | 'step'> {
  return {
    id: newId(),
    status: 'waiting',
    cursor: null,
    report: [],
    problem: null,
    attempts: 0,
    version: 0,
    due_at: now,
    parts: [],
    expires_at: null,
    kept_until: null,
    request_id: requestId,
    created_at: now,
    finished_at: null,
  };
}
