import type { EventPattern, EventType } from '../../../model/events/index.js';
import type { Queryable } from '../../database.js';
import type { DeliveryRow, WebhookEndpointRow } from '../../rows.js';

/** An attempt as the delivery log shows it. */
export interface AttemptView {
  readonly at: string;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

/** A delivery with its event's type and its attempts, oldest first. */
export interface DeliveryView extends DeliveryRow {
  readonly type: EventType;
  readonly tries: readonly AttemptView[];
}

/** Columns of a delivery `d` and its event `e`. */
const VIEW = `d.*, e.type,
  (SELECT coalesce(json_agg(json_build_object('at', a.at, 'status_code', a.status_code, 'error', a.error,
     'duration_ms', a.duration_ms) ORDER BY a.at, a.id), '[]')
   FROM webhook_attempts AS a WHERE a.delivery_id = d.id) AS tries`;

/** An endpoint, and whether its events are those of the sandbox. */
type KindOfEndpoint = Pick<WebhookEndpointRow, 'id' | 'sandbox'>;

export interface DeliveryFilter {
  readonly endpoint: KindOfEndpoint;
  readonly status: DeliveryRow['status'] | null;
  /** The last delivery of the previous page. */
  readonly beforeId: string | null;
  readonly limit: number;
}

/** Newest first. */
export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryView[]> {
  return db.query<DeliveryView>(
    `SELECT ${VIEW}
     FROM webhook_deliveries AS d JOIN events AS e ON e.id = d.event_id
     WHERE d.endpoint_id = $1 AND ($2::uuid IS NULL OR d.id < $2) AND ($3::text IS NULL OR d.status = $3)
       AND e.sandbox = $4
     ORDER BY d.id DESC LIMIT $5`,
    [filter.endpoint.id, filter.beforeId, filter.status, filter.endpoint.sandbox, filter.limit],
  );
}

/** A delivery that was given up, and whose it is. */
export interface DeadLetter extends DeliveryView {
  readonly organization_id: string;
  readonly sandbox: boolean;
}

/** Deliveries of all organizations to endpoints that were given up, newest first. @param beforeId the last one of the page before */
export function listDeadLetters(db: Queryable, beforeId: string | null, limit: number): Promise<DeadLetter[]> {
  return db.query<DeadLetter>(
    `SELECT ${VIEW}, e.organization_id, e.sandbox FROM webhook_deliveries AS d JOIN events AS e ON e.id = d.event_id
     WHERE d.status = 'dead' AND d.endpoint_id IS NOT NULL AND ($1::uuid IS NULL OR d.id < $1)
     ORDER BY d.id DESC LIMIT $2`,
    [beforeId, limit],
  );
}

/** A delivery to an endpoint, in any status. */
export async function findDelivery(db: Queryable, id: string): Promise<DeadLetter | null> {
  const [row] = await db.query<DeadLetter>(
    `SELECT ${VIEW}, e.organization_id, e.sandbox FROM webhook_deliveries AS d JOIN events AS e ON e.id = d.event_id
     WHERE d.id = $1 AND d.endpoint_id IS NOT NULL`,
    [id],
  );
  return row ?? null;
}

/**
 * Makes a delivery due at once, in any status. A delivery that is being sent is left to its worker.
 * @returns the updated delivery, or null if the endpoint has none with this id.
 */
export async function redeliver(
  db: Queryable,
  endpoint: KindOfEndpoint,
  deliveryId: string,
  now: Date,
): Promise<DeliveryView | null> {
  await db.query(
    `UPDATE webhook_deliveries AS d
     SET attempts = CASE status WHEN 'pending' THEN attempts ELSE 0 END, status = 'pending', next_attempt_at = $3,
         locked_until = NULL, delivered_at = NULL, last_error = NULL
     FROM events AS e
     WHERE d.endpoint_id = $1 AND d.id = $2 AND e.id = d.event_id AND e.sandbox = $4
       AND (d.status <> 'pending' OR d.locked_until IS NULL OR d.locked_until <= $3)`,
    [endpoint.id, deliveryId, now, endpoint.sandbox],
  );
  const rows = await db.query<DeliveryView>(
    `SELECT ${VIEW} FROM webhook_deliveries AS d JOIN events AS e ON e.id = d.event_id
     WHERE d.endpoint_id = $1 AND d.id = $2 AND e.sandbox = $3`,
    [endpoint.id, deliveryId, endpoint.sandbox],
  );
  return rows[0] ?? null;
}

export interface ReplayRequest {
  readonly endpoint: KindOfEndpoint;
  readonly projectId: string;
  /** Period of the events; `to` is excluded. */
  readonly from: Date;
  readonly to: Date;
  readonly events: readonly EventPattern[];
  /** A lower bound of the ids of events since `from`. */
  readonly lowestId: string;
  readonly limit: number;
}

export interface ReplayCounts {
  /** Number of dead letters that are sent again. */
  readonly revived: number;
  /**
   * Number of events for which the endpoint had no delivery, because it did not exist, was disabled
   * or was not subscribed then.
   */
  readonly added: number;
}

const MATCHES = `
  e.project_id = $2 AND e.id >= $8 AND e.created_at >= $3 AND e.created_at < $4 AND e.sandbox = $6
  AND $5::text[] && ARRAY['*', e.type, split_part(e.type, '.', 1) || '.*']`;

const REPLAY = `
  WITH chosen AS (
    SELECT d.id FROM events AS e JOIN webhook_deliveries AS d ON d.event_id = e.id
    WHERE d.endpoint_id = $1 AND d.status = 'dead' AND ${MATCHES}
    ORDER BY e.id LIMIT $9
  ), revived AS (
    UPDATE webhook_deliveries AS d
    SET status = 'pending', attempts = 0, next_attempt_at = $7, locked_until = NULL, last_error = NULL
    FROM chosen WHERE d.id = chosen.id
    RETURNING 1
  ), added AS (
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, lane, project_id, call_id, sequence, next_attempt_at)
    SELECT uuid_v7(), e.id, $1::uuid, $1::uuid::text, e.project_id, e.call_id, e.sequence, $7
    FROM events AS e
    WHERE ${MATCHES}
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.event_id = e.id AND d.endpoint_id = $1)
    ORDER BY e.id LIMIT $9
    RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM revived) AS revived, (SELECT count(*)::int FROM added) AS added`;

/**
 * Requeues what an endpoint missed in a period, oldest first, up to `limit` dead letters and
 * `limit` new deliveries. Delivered events are not sent again.
 */
export async function replayDeliveries(db: Queryable, request: ReplayRequest, now: Date): Promise<ReplayCounts> {
  const [counts] = await db.query<ReplayCounts>(REPLAY, [
    request.endpoint.id,
    request.projectId,
    request.from,
    request.to,
    request.events,
    request.endpoint.sandbox,
    now,
    request.lowestId,
    request.limit,
  ]);
  return counts ?? { revived: 0, added: 0 };
}
