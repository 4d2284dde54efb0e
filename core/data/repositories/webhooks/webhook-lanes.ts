import type { EventType } from '../../../model/events/index.js';
import type { Queryable } from '../../database.js';
import type { DeliveryRow } from '../../rows.js';

/**
 * Lanes: the deliveries to one endpoint, or to the webhook URL of one call. Workers claim due
 * deliveries of a lane, send them and settle them. A claim is a lock with a timeout, so deliveries
 * of a dead worker are claimed again.
 */

/** After this many failures a delivery no longer blocks later ones of its call. */
export const BLOCKING_ATTEMPTS = 3;

/**
 * Selects what blocks a delivery `d`: an earlier event of its call that is still pending for the
 * same receiver. Used as a scalar (`(… LIMIT 1) IS NULL`), so that it stays one index lookup per
 * row instead of a join over all pending rows.
 */
const BLOCKER = `
  SELECT 1 FROM webhook_deliveries AS earlier
  WHERE earlier.lane = d.lane AND earlier.call_id = d.call_id AND earlier.sequence < d.sequence
    AND earlier.status = 'pending' AND earlier.attempts < ${BLOCKING_ATTEMPTS}`;

/**
 * The addition keeps the planner from scanning all of a lane's retries by the index on their times:
 * a call has few rows.
 */
const laterThanNow = (row: string): string => `${row}.next_attempt_at + interval '0' > $2`;

const IS_FREE = `d.status = 'pending' AND (d.locked_until IS NULL OR d.locked_until <= $2)`;

export interface LaneClaim {
  readonly lane: string;
  /** Maximum number of deliveries. */
  readonly count: number;
}

/** A claimed delivery, with everything needed to send it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly lane: string;
  readonly endpoint_id: string | null;
  readonly project_id: string;
  readonly attempts: number;
  /** Identifies the claim when the delivery is settled. */
  readonly locked_until: Date;
  readonly event_id: string;
  readonly type: EventType;
  readonly sandbox: boolean;
  readonly created_at: Date;
  /** The event's data as JSON text, masked: identical in each attempt. */
  readonly data: string;
  /** Null for an event of no call. */
  readonly sequence: number | null;
  /** The sequence of the previous event of the call that this receiver gets; null if this is the first. */
  readonly previous_sequence: number | null;
  readonly url: string;
  /** Sealed: the endpoint's, or the project's for a call's own receiver. */
  readonly secret: string;
  /** Sealed; null once it has expired. */
  readonly previous_secret: string | null;
  readonly endpoint_status: 'enabled' | 'disabled' | null;
  /** Whether the endpoint gets customers' full numbers; never a call's own receiver. */
  readonly includes_number: boolean;
  /** The stored number of the customer of the event's call, if the endpoint gets it. */
  readonly customer_number: string | null;
}

/** Goes back event by event of the call: nearly always one or two lookups by unique indexes. */
const PREVIOUS = `
  SELECT previous.sequence FROM events AS previous
  WHERE previous.call_id = claimed.call_id AND previous.sequence < claimed.sequence
    AND EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.event_id = previous.id AND d.lane = claimed.lane)
  ORDER BY previous.sequence DESC LIMIT 1`;

const CLAIM = `
  WITH due AS (
    SELECT candidate.id
    FROM unnest($1::text[], $4::integer[]) AS wanted(lane, count)
    CROSS JOIN LATERAL (
      SELECT d.id FROM webhook_deliveries AS d
      WHERE d.lane = wanted.lane AND d.next_attempt_at <= $2 AND ${IS_FREE} AND (${BLOCKER} LIMIT 1) IS NULL
      ORDER BY d.next_attempt_at
      LIMIT wanted.count
      FOR UPDATE SKIP LOCKED
    ) AS candidate
  ), claimed AS (
    -- The array keeps this on the primary key, however many rows the planner estimates.
    UPDATE webhook_deliveries AS d SET locked_until = $3 WHERE d.id = ANY(ARRAY(SELECT id FROM due))
    RETURNING d.*
  )
  SELECT claimed.id, claimed.lane, claimed.endpoint_id, claimed.project_id, claimed.attempts,
    event.id AS event_id, event.type, event.sandbox, event.created_at, event.data::text AS data,
    event.sequence, (${PREVIOUS}) AS previous_sequence,
    coalesce(claimed.url, endpoint.url) AS url,
    coalesce(endpoint.secret, project.signing_secret) AS secret,
    CASE WHEN endpoint.previous_secret_expires_at > $2 THEN endpoint.previous_secret END AS previous_secret,
    endpoint.status AS endpoint_status,
    coalesce(endpoint.include_customer_number, false) AS includes_number,
    CASE WHEN endpoint.include_customer_number
      THEN (SELECT customer_number FROM calls WHERE calls.id = event.call_id) END AS customer_number
  FROM claimed
  JOIN events AS event ON event.id = claimed.event_id
  JOIN projects AS project ON project.id = claimed.project_id
  LEFT JOIN webhook_endpoints AS endpoint ON endpoint.id = claimed.endpoint_id`;

/**
 * Claims deliveries of these lanes that are due at `now`, until `lockedUntil`. Keeps the order
 * within a call: a delivery is not claimed while an earlier event of its call is pending in the
 * lane and has failed fewer than {@link BLOCKING_ATTEMPTS} times.
 */
export async function claimDeliveries(
  db: Queryable,
  claims: readonly LaneClaim[],
  now: Date,
  lockedUntil: Date,
): Promise<ClaimedDelivery[]> {
  const values = [claims.map(({ lane }) => lane), now, lockedUntil, claims.map(({ count }) => count)];
  const claimed = await db.query<Omit<ClaimedDelivery, 'locked_until'>>(CLAIM, values, { prepared: true });
  return claimed.map((delivery) => ({ ...delivery, locked_until: lockedUntil }));
}

/** The result of a delivery attempt. */
export interface AttemptOutcome {
  readonly id: string;
  /** Lock of the claim; the outcome is dropped if the claim has expired. */
  readonly locked_until: Date;
  readonly status: DeliveryRow['status'];
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Time of the next attempt if the delivery stays pending. */
  readonly next_attempt_at: Date | null;
  /** Null if nothing was sent because the receiver is disabled. */
  readonly attempt_id: string | null;
  readonly at: Date;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  /** The receiver answered that it is permanently gone. */
  readonly gone: boolean;
}

/** An endpoint to which nothing more must be sent. */
export interface FailedEndpoint {
  readonly id: string;
  readonly reason: 'gone' | 'failing';
}

const SETTLE = `
  WITH outcome AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS outcome(
      id uuid, locked_until timestamptz, status text, attempts integer, next_attempt_at timestamptz, attempt_id uuid,
      at timestamptz, status_code integer, error text, duration_ms integer, gone boolean)
  ), settled AS (
    UPDATE webhook_deliveries AS d
    SET status = outcome.status, attempts = outcome.attempts, locked_until = NULL, last_error = outcome.error,
        next_attempt_at = coalesce(outcome.next_attempt_at, d.next_attempt_at),
        delivered_at = CASE WHEN outcome.status = 'delivered' THEN outcome.at END
    FROM outcome
    -- The array keeps this on the primary key, as in a claim.
    WHERE d.id = ANY(ARRAY(SELECT id FROM outcome)) AND d.id = outcome.id AND d.locked_until = outcome.locked_until
    RETURNING d.id, d.lane, d.endpoint_id, d.call_id, d.sequence, d.status, d.attempts
  ), attempted AS (
    INSERT INTO webhook_attempts (id, delivery_id, at, status_code, error, duration_ms)
    SELECT attempt_id, id, at, status_code, error, duration_ms
    FROM outcome JOIN settled USING (id) WHERE attempt_id IS NOT NULL
  ), released AS (
    -- Deliveries of the same call that waited for this one are due now.
    UPDATE webhook_deliveries AS later SET next_attempt_at = $2
    FROM settled
    WHERE (settled.status <> 'pending' OR settled.attempts = ${BLOCKING_ATTEMPTS})
      AND later.lane = settled.lane AND later.call_id = settled.call_id AND later.sequence > settled.sequence
      AND later.status = 'pending' AND later.attempts = 0 AND later.locked_until IS NULL AND ${laterThanNow('later')}
  ), health AS (
    SELECT settled.endpoint_id, bool_or(settled.status = 'delivered') AS works, bool_or(outcome.gone) AS gone
    FROM settled JOIN outcome USING (id)
    WHERE settled.endpoint_id IS NOT NULL AND outcome.attempt_id IS NOT NULL
    GROUP BY settled.endpoint_id
  ), endpoints AS (
    UPDATE webhook_endpoints AS endpoint
    SET failing_since = CASE WHEN NOT works THEN coalesce(failing_since, $2) END
    FROM health
    WHERE endpoint.id = health.endpoint_id AND endpoint.status = 'enabled'
      AND (gone OR works = (failing_since IS NOT NULL) OR failing_since <= $3)
    RETURNING endpoint.id, CASE WHEN gone THEN 'gone' WHEN failing_since <= $3 THEN 'failing' END AS reason
  )
  SELECT id, reason FROM endpoints WHERE reason IS NOT NULL`;

/**
 * Writes the outcomes of attempts, and since when their endpoints fail. @returns the enabled
 * endpoints that have failed since before `failingLimit` or are gone, for `disableFailedEndpoint`.
 */
export async function settleDeliveries(
  db: Queryable,
  outcomes: readonly AttemptOutcome[],
  now: Date,
  failingLimit: Date,
): Promise<FailedEndpoint[]> {
  return db.query<FailedEndpoint>(SETTLE, [JSON.stringify(outcomes), now, failingLimit], { prepared: true });
}

/**
 * Moves pending deliveries of these endpoints to the dead letters, from which a replay can send
 * them again. Deliveries being sent are left to their workers.
 */
export async function deadLetterPending(db: Queryable, endpointIds: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET status = 'dead', last_error = 'endpoint_disabled'
     WHERE endpoint_id = ANY($1::uuid[]) AND status = 'pending' AND locked_until IS NULL`,
    [endpointIds],
  );
}

/**
 * The lanes with deliveries due at `now`. The cost depends on the number of lanes with pending
 * deliveries, not on their backlog.
 */
export async function lanesDue(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.query<{ lane: string }>(
    `WITH RECURSIVE lanes AS (
       (SELECT lane FROM webhook_deliveries WHERE status = 'pending' ORDER BY lane LIMIT 1)
       UNION ALL
       SELECT (SELECT d.lane FROM webhook_deliveries AS d
               WHERE d.status = 'pending' AND d.lane > lanes.lane ORDER BY d.lane LIMIT 1)
       FROM lanes WHERE lanes.lane IS NOT NULL
     )
     SELECT lane FROM lanes
     WHERE (SELECT 1 FROM webhook_deliveries AS d
            WHERE d.lane = lanes.lane AND d.next_attempt_at <= $1
              AND d.status = 'pending' AND (d.locked_until IS NULL OR d.locked_until <= $1)
            ORDER BY d.next_attempt_at LIMIT 1) IS NOT NULL`,
    [now],
    { prepared: true },
  );
  return rows.map((row) => row.lane);
}

const DEFERRED_AT_ONCE = 1000;

/**
 * Defers deliveries in these lanes that an earlier event of their call blocks: they become due at
 * `until`, or as soon as the earlier one is settled. Otherwise, after a receiver was down for an
 * hour, every claim in its lane would read an hour of calls.
 */
export async function deferBlocked(db: Queryable, lanes: readonly string[], now: Date, until: Date): Promise<number> {
  const rows = await db.query(
    `UPDATE webhook_deliveries SET next_attempt_at = $3
     WHERE id = ANY(ARRAY(
       SELECT d.id
       FROM unnest($1::text[]) AS stuck(lane)
       CROSS JOIN LATERAL (
         SELECT * FROM webhook_deliveries AS d
         WHERE d.lane = stuck.lane AND d.next_attempt_at <= $2 AND ${IS_FREE} AND d.attempts = 0
         ORDER BY d.next_attempt_at LIMIT ${DEFERRED_AT_ONCE}
       ) AS d
       WHERE (${BLOCKER} AND ${laterThanNow('earlier')} LIMIT 1) IS NOT NULL
     )) AND status = 'pending' AND locked_until IS NULL
     RETURNING 1 AS deferred`,
    [lanes, now, until],
  );
  return rows.length;
}
