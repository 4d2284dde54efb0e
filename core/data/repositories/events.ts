import type { EventPattern } from '../../model/events.js';
import type { Queryable } from '../database.js';
import type { EventRow } from '../rows.js';

export interface EventFilter {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
  /** Null takes every event. */
  readonly patterns: readonly EventPattern[] | null;
  readonly callId: string | null;
}

const MATCHES = `
  project_id = $1 AND (NOT $2::boolean OR sandbox) AND ($3::uuid IS NULL OR call_id = $3)
  AND ($4::text[] IS NULL OR $4 && ARRAY['*', type, split_part(type, '.', 1) || '.*'])`;

function valuesOf(filter: EventFilter): unknown[] {
  return [filter.projectId, filter.sandboxOnly, filter.callId, filter.patterns];
}

/** A project's events, newest first, those before `beforeId` only. */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  beforeId: string | null,
  limit: number,
): Promise<EventRow[]> {
  return db.query<EventRow>(
    `SELECT * FROM events WHERE ${MATCHES} AND ($5::uuid IS NULL OR id < $5) ORDER BY id DESC LIMIT $6`,
    [...valuesOf(filter), beforeId, limit],
  );
}

/** A project's events after `afterId`, oldest first. */
export async function eventsAfter(
  db: Queryable,
  filter: EventFilter,
  afterId: string,
  limit: number,
): Promise<EventRow[]> {
  return db.query<EventRow>(`SELECT * FROM events WHERE ${MATCHES} AND id > $5 ORDER BY id LIMIT $6`, [
    ...valuesOf(filter),
    afterId,
    limit,
  ]);
}

/** The newest ids of a project's events after `afterId` and not after `lastId`, up to `limit`. */
export async function eventIdsBetween(
  db: Queryable,
  projectId: string,
  afterId: string,
  lastId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM events WHERE project_id = $1 AND id > $2 AND id <= $3 ORDER BY id DESC LIMIT $4`,
    [projectId, afterId, lastId, limit],
  );
  return rows.map((row) => row.id);
}

/** Of the events with these ids the ones that match, oldest first. */
export async function eventsByIds(db: Queryable, filter: EventFilter, ids: readonly string[]): Promise<EventRow[]> {
  return db.query<EventRow>(`SELECT * FROM events WHERE ${MATCHES} AND id = ANY($5::uuid[]) ORDER BY id`, [
    ...valuesOf(filter),
    ids,
  ]);
}
