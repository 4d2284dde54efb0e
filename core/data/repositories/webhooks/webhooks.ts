import type { EventPattern } from '../../../model/events/index.js';
import type { Database, Queryable } from '../../database.js';
import { violatedUnique } from '../../errors.js';
import type { WebhookEndpointRow } from '../../rows.js';

/** The endpoints that a key sees: a live key all of its project, a sandbox key those of the sandbox. */
export interface EndpointScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
}

/** The endpoints that a key may change: those of its own kind. */
export interface EndpointOwner {
  readonly projectId: string;
  readonly sandbox: boolean;
}

/** Oldest first. */
export async function listWebhookEndpoints(db: Queryable, scope: EndpointScope): Promise<WebhookEndpointRow[]> {
  return db.query<WebhookEndpointRow>(
    `SELECT * FROM webhook_endpoints WHERE project_id = $1 AND (sandbox OR NOT $2) ORDER BY id`,
    [scope.projectId, scope.sandboxOnly],
  );
}

/** The owner's endpoints, oldest first. */
export async function listOwnWebhookEndpoints(db: Queryable, owner: EndpointOwner): Promise<WebhookEndpointRow[]> {
  return db.query<WebhookEndpointRow>(
    `SELECT * FROM webhook_endpoints WHERE project_id = $1 AND sandbox = $2 ORDER BY id`,
    [owner.projectId, owner.sandbox],
  );
}

export async function findWebhookEndpoint(
  db: Queryable,
  scope: EndpointScope,
  id: string,
): Promise<WebhookEndpointRow | null> {
  const rows = await db.query<WebhookEndpointRow>(
    `SELECT * FROM webhook_endpoints WHERE project_id = $1 AND (sandbox OR NOT $2) AND id = $3`,
    [scope.projectId, scope.sandboxOnly, id],
  );
  return rows[0] ?? null;
}

export type InsertOutcome = 'inserted' | 'limit_reached' | 'duplicate_url';

/**
 * Inserts an endpoint unless its project already has `max` endpoints of its kind or one with this
 * URL. Safe against concurrent inserts.
 */
export async function insertWebhookEndpoint(
  db: Database,
  endpoint: WebhookEndpointRow,
  max: number,
): Promise<InsertOutcome> {
  try {
    return await db.transaction(async (tx) => {
      await tx.query(`SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE`, [endpoint.project_id]);
      const owner = { projectId: endpoint.project_id, sandbox: endpoint.sandbox };
      const others = await listOwnWebhookEndpoints(tx, owner);
      if (others.some((other) => other.url === endpoint.url)) return 'duplicate_url';
      if (others.length >= max) return 'limit_reached';
      await tx.query(`INSERT INTO webhook_endpoints SELECT * FROM jsonb_populate_record(NULL::webhook_endpoints, $1)`, [
        JSON.stringify(endpoint),
      ]);
      return 'inserted';
    });
  } catch (error) {
    if (violatedUnique(error) === 'webhook_endpoints_url') return 'duplicate_url';
    throw error;
  }
}

/** The fields that can change; absent members stay unchanged. */
export interface EndpointChanges {
  readonly url?: string;
  readonly events?: readonly EventPattern[];
  readonly description?: string | null;
  readonly status?: WebhookEndpointRow['status'];
  readonly disabled_reason?: string | null;
  readonly failing_since?: Date | null;
  readonly secret?: string;
  readonly previous_secret?: string | null;
  readonly previous_secret_expires_at?: Date | null;
}

/** @returns the updated endpoint, null if there is none, or `duplicate_url`. */
export async function updateWebhookEndpoint(
  db: Queryable,
  owner: EndpointOwner,
  id: string,
  changes: EndpointChanges,
): Promise<WebhookEndpointRow | null | 'duplicate_url'> {
  try {
    const rows = await db.query<WebhookEndpointRow>(
      `UPDATE webhook_endpoints AS kept
       SET (url, events, description, status, disabled_reason, failing_since, secret, previous_secret,
            previous_secret_expires_at) =
         (SELECT url, events, description, status, disabled_reason, failing_since, secret, previous_secret,
                 previous_secret_expires_at
          FROM jsonb_populate_record(kept, $4))
       WHERE project_id = $1 AND sandbox = $2 AND id = $3
       RETURNING *`,
      [owner.projectId, owner.sandbox, id, JSON.stringify(changes)],
    );
    return rows[0] ?? null;
  } catch (error) {
    if (violatedUnique(error) === 'webhook_endpoints_url') return 'duplicate_url';
    throw error;
  }
}

/** Deletes an endpoint with its deliveries and their attempts. @returns false if there was none. */
export async function deleteWebhookEndpoint(db: Queryable, owner: EndpointOwner, id: string): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM webhook_endpoints WHERE project_id = $1 AND sandbox = $2 AND id = $3 RETURNING 1 AS deleted`,
    [owner.projectId, owner.sandbox, id],
  );
  return rows.length === 1;
}
