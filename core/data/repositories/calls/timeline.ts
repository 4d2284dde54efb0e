import type { Database } from '../../database.js';

/** One entry in the timeline of a call. */
export interface TimelineEntry {
  readonly id: string;
  readonly at: Date;
  /**
   * `call`: something in the call itself; `event`: an event sent to webhooks; `webhook`: a delivery
   * attempt.
   */
  readonly source: 'call' | 'event' | 'webhook';
  readonly type: string;
  /** Sequence of the event, or of the event that was delivered. */
  readonly sequence: number | null;
  readonly data: object;
}

const TIMELINE = `
  SELECT id, at, 'call' AS source, type, NULL::integer AS sequence, data
  FROM call_timeline WHERE call_id = $1
  UNION ALL
  SELECT id, created_at, 'event', type, sequence, data
  FROM events WHERE call_id = $1
  UNION ALL
  SELECT attempt.id, attempt.at, 'webhook',
         CASE WHEN attempt.status_code BETWEEN 200 AND 299 THEN 'webhook.delivered' ELSE 'webhook.failed' END,
         event.sequence,
         jsonb_build_object(
           'event_id', event.id, 'event_type', event.type, 'endpoint_id', delivery.endpoint_id,
           'status_code', attempt.status_code, 'error', attempt.error, 'duration_ms', attempt.duration_ms)
  FROM events AS event
  JOIN webhook_deliveries AS delivery ON delivery.event_id = event.id
  JOIN webhook_attempts AS attempt ON attempt.delivery_id = delivery.id
  WHERE event.call_id = $1
  ORDER BY at, sequence NULLS FIRST, id`;

/**
 * The timeline of a call, in order of time: its entries, its events and their delivery attempts.
 */
export function timelineOf(db: Database, callId: string): Promise<TimelineEntry[]> {
  return db.query<TimelineEntry>(TIMELINE, [callId], { prepared: true });
}
