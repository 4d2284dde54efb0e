import type { EventData, EventType } from '../model/events/index.js';
import { newId } from '../model/ids.js';
import type { Queryable } from './database.js';
import { recordsetOf, recordsetValues, splitRecords } from './recordset.js';
import type { EventRow } from './rows.js';

/** The endpoints that get events with a project, a kind and a type, which the relation `event` has. */
const receiversOf = (event: string): string => `
      -- OFFSET 0 keeps this one index lookup per row, however many rows the planner estimates.
      SELECT id FROM webhook_endpoints
      WHERE project_id = ${event}.project_id
        AND sandbox = ${event}.sandbox
        AND status = 'enabled'
        AND events && ARRAY['*', ${event}.type, split_part(${event}.type, '.', 1) || '.*']
      OFFSET 0`;

/**
 * The part of a statement that inserts delivery rows for the events it wrote (`written_events`),
 * one per receiver: the project's enabled endpoints of the event's kind, live or sandbox, whose
 * patterns match, and the call's own receiver. `callReceivers` names a relation of (id, webhook_url).
 */
export function deliveriesOf(callReceivers: string): string {
  return `
    INSERT INTO webhook_deliveries
      (id, event_id, endpoint_id, lane, url, project_id, call_id, sequence, next_attempt_at)
    SELECT uuid_v7(), event.id, endpoint.id, endpoint.id::text, NULL, event.project_id, event.call_id, event.sequence, now()
    FROM written_events AS event
    CROSS JOIN LATERAL (${receiversOf('event')}
    ) AS endpoint
    UNION ALL
    SELECT uuid_v7(), event.id, NULL, 'call:' || call.id, call.webhook_url, event.project_id, event.call_id, event.sequence, now()
    FROM written_events AS event
    JOIN ${callReceivers} AS call ON call.id = event.call_id AND call.webhook_url IS NOT NULL
    RETURNING lane`;
}

const RECORD_EVENT = `
  WITH written_events AS (
    INSERT INTO events SELECT * FROM jsonb_populate_record(NULL::events, $1)
    ON CONFLICT (id) DO NOTHING
    RETURNING id, project_id, call_id, sequence, type, sandbox
  ), deliveries AS (${deliveriesOf('calls')})
  SELECT DISTINCT lane FROM deliveries`;

/**
 * Writes one event that belongs to no change of a call, with its deliveries. A repeat does nothing.
 * @returns the lanes that now have deliveries. @throws DatabaseUnavailable
 */
export async function recordEvent(db: Queryable, event: EventRow): Promise<string[]> {
  const rows = await db.query<{ lane: string }>(RECORD_EVENT, [JSON.stringify(event)], { prepared: true });
  return rows.map((row) => row.lane);
}

/**
 * Many events of projects: what their data share is one value, and the receivers of a type are looked up once. A receiver
 * gets its events in their order.
 */
const RECORD_EVENTS = `
  WITH written_events AS (
    INSERT INTO events (id, organization_id, project_id, call_id, sequence, type, data, sandbox, recovered, created_at)
    SELECT id, organization_id, project_id, call_id, sequence, type, $3::jsonb || data, sandbox, recovered, created_at
    FROM ${recordsetOf('events')}
    RETURNING id, project_id, type, sandbox
  ), deliveries AS (
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, lane, project_id, next_attempt_at)
    SELECT uuid_v7(), event.id, endpoint.id, endpoint.id::text, event.project_id, now()
    FROM (SELECT DISTINCT project_id, sandbox, type FROM written_events) AS kind
    CROSS JOIN LATERAL (${receiversOf('kind')}
    ) AS endpoint
    JOIN written_events AS event
      ON event.project_id = kind.project_id AND event.sandbox = kind.sandbox AND event.type = kind.type
    ORDER BY event.id
    RETURNING lane
  )
  SELECT DISTINCT lane FROM deliveries`;

/**
 * Writes new events of projects that belong to no call, with their deliveries, in one statement.
 * @returns the lanes that now have deliveries. @throws DatabaseUnavailable
 */
export async function recordEvents(db: Queryable, events: readonly EventRow[]): Promise<string[]> {
  if (events.length === 0) return [];
  const data = splitRecords(events.map((event) => event.data));
  const values = recordsetValues(events.map((event, index) => ({ ...event, data: data.own[index] })));
  const rows = await db.query<{ lane: string }>(RECORD_EVENTS, [...values, JSON.stringify(data.shared)], {
    prepared: true,
  });
  return rows.map((row) => row.lane);
}

/** An event of a project that belongs to no call. Its kind, `sandbox`, is that of the row it reports. */
export function projectEvent<T extends EventType>(
  event: Pick<EventRow, 'organization_id' | 'project_id' | 'sandbox' | 'created_at'> & {
    readonly type: T;
    readonly data: EventData<T>;
  },
): EventRow {
  return { id: newId(), call_id: null, sequence: null, recovered: false, ...event };
}
