import type { Database } from '../../data/database.js';
import { listEvents, type EventFilter } from '../../data/repositories/calls/events.js';
import type { EventRow } from '../../data/rows.js';

/** What was told of a project, whether anybody received it or not. */
export class EventLog {
  constructor(private readonly db: Database) {}

  /** Newest first, those before `beforeId` only. */
  async list(filter: EventFilter, beforeId: string | null, limit: number): Promise<EventRow[]> {
    return listEvents(this.db, filter, beforeId, limit);
  }
}
