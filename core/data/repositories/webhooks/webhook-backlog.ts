import type { Queryable } from '../../database.js';

export interface WebhookBacklog {
  /** Deliveries that are not over, those that wait for their next attempt too. */
  readonly pending: number;
  /** For how long the delivery that is due for longest has been due; 0 where none is. */
  readonly oldestDueSeconds: number;
}

/** How far webhooks lag behind, by the database's clock. */
export async function webhookBacklog(db: Queryable): Promise<WebhookBacklog> {
  const [row] = await db.query<{ pending: number; seconds: number | null }>(
    `SELECT count(*)::int AS pending, extract(epoch FROM clock_timestamp() - min(next_attempt_at))::float AS seconds
     FROM webhook_deliveries WHERE status = 'pending'`,
    [],
    { prepared: true },
  );
  return { pending: row?.pending ?? 0, oldestDueSeconds: Math.max(0, row?.seconds ?? 0) };
}
