import type { Queryable } from '../../database.js';

export interface WebhookBacklog {
  /** Pending deliveries, including those that wait for a retry. */
  readonly pending: number;
  /** How long the oldest due delivery has been due; 0 if none is. */
  readonly oldestDueSeconds: number;
}

/** The backlog of webhook deliveries, by the database's clock. */
export async function webhookBacklog(db: Queryable): Promise<WebhookBacklog> {
  const [row] = await db.query<{ pending: number; seconds: number | null }>(
    `SELECT count(*)::int AS pending, extract(epoch FROM clock_timestamp() - min(next_attempt_at))::float AS seconds
     FROM webhook_deliveries WHERE status = 'pending'`,
    [],
    { prepared: true },
  );
  return { pending: row?.pending ?? 0, oldestDueSeconds: Math.max(0, row?.seconds ?? 0) };
}
