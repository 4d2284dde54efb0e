import type { EventPattern, EventType } from '../../../model/events/index.js';
import type { Queryable } from '../../database.js';
import type { EventRow } from '../../rows.js';

export interface EventFilter {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
  /** Null matches every event. */
  readonly patterns: readonly EventPattern[] | null;
  readonly callId: string | null;
  /** Only these types; absent or null: all. */
  readonly types?: ReadonlySet<EventType> | null;
  /** Only what concerns the agent with this extension: events that name it, and those of its calls. Null: everything. */
  readonly agent?: string | null;
}

/** A project's events, newest first, only those before `beforeId`. */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  beforeId: string | null,
  limit: number,
): Promise<EventRow[]> {
  return db.query<EventRow>(
    `SELECT * FROM events
     WHERE project_id = $1 AND (NOT $2::boolean OR sandbox) AND ($3::uuid IS NULL OR call_id = $3)
       AND ($4::text[] IS NULL OR $4 && ARRAY['*', type, split_part(type, '.', 1) || '.*'])
       AND ($5::uuid IS NULL OR id < $5) AND ($7::text[] IS NULL OR type = ANY ($7))
     ORDER BY id DESC LIMIT $6`,
    [
      filter.projectId,
      filter.sandboxOnly,
      filter.callId,
      filter.patterns,
      beforeId,
      limit,
      filter.types ? [...filter.types] : null,
    ],
  );
}

/** A project's events after `afterId`, oldest first. */
export async function eventsAfter(
  db: Queryable,
  projectId: string,
  afterId: string,
  limit: number,
): Promise<EventRow[]> {
  return db.query<EventRow>(
    `SELECT * FROM events WHERE project_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    [projectId, afterId, limit],
    { prepared: true },
  );
}

/** The newest ids of a project's events after `afterId`, newest first, up to `limit`. */
export async function newestEventIds(
  db: Queryable,
  projectId: string,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM events WHERE project_id = $1 AND id > $2 ORDER BY id DESC LIMIT $3`,
    [projectId, afterId, limit],
    { prepared: true },
  );
  return rows.map((row) => row.id);
}

/** The events with these ids, oldest first. */
export async function eventsByIds(db: Queryable, ids: readonly string[]): Promise<EventRow[]> {
  return db.query<EventRow>(`SELECT * FROM events WHERE id = ANY($1::uuid[]) ORDER BY id`, [ids]);
}

/** The ids of those of the events that concern the agent: they name it, or their call is one of its calls. */
export async function eventsOfAgent(
  db: Queryable,
  projectId: string,
  agent: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `SELECT event.id FROM events AS event
     WHERE event.id = ANY ($3::uuid[]) AND event.project_id = $1 AND (event.data->>'agent' = $2 OR EXISTS (
       SELECT FROM calls WHERE calls.id = event.call_id AND calls.project_id = $1 AND calls.agent = $2
     ) OR EXISTS (
       SELECT FROM message_threads AS thread WHERE thread.id = (event.data->>'thread_id')::uuid
         AND thread.project_id = $1 AND thread.agent = $2
     ))`,
    [projectId, agent, ids],
    { prepared: true },
  );
  return new Set(rows.map(({ id }) => id));
}
