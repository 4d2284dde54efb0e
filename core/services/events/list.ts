import type { Database } from '../../data/database.js';
import { listEvents, type EventFilter } from '../../data/repositories/calls/events.js';
import type { EventRow } from '../../data/rows.js';

/** Lists a project's recorded events, whether or not they were delivered to anyone. */
export class EventLog {
  constructor(private readonly db: Database) {}

  /** Returns events newest first, only those before `beforeId` if it is given. */
  async list(filter: EventFilter, beforeId: string | null, limit: number): Promise<EventRow[]> {
    return listEvents(this.db, filter, beforeId, limit);
  }
}
