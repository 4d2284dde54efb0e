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

/** An owner who changes an endpoint. */
export interface EndpointEditor extends EndpointOwner {
  /** Whether the owner may have customers' full numbers sent. Default false. */
  readonly seesNumbers?: boolean;
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
  readonly include_customer_number?: boolean;
  readonly status?: WebhookEndpointRow['status'];
  readonly disabled_reason?: string | null;
  readonly failing_since?: Date | null;
  readonly secret?: string;
  readonly previous_secret?: string | null;
  readonly previous_secret_expires_at?: Date | null;
}

/**
 * Changes an endpoint. An editor who may not see full numbers cannot have them sent, nor send them to another URL: the
 * statement checks this, so that nothing happens in between.
 * @returns the updated endpoint, null if there is none that the editor may change so, or `duplicate_url`
 */
export async function updateWebhookEndpoint(
  db: Queryable,
  editor: EndpointEditor,
  id: string,
  changes: EndpointChanges,
): Promise<WebhookEndpointRow | null | 'duplicate_url'> {
  try {
    const rows = await db.query<WebhookEndpointRow>(
      `UPDATE webhook_endpoints AS kept
       SET (url, events, description, include_customer_number, status, disabled_reason, failing_since, secret,
            previous_secret, previous_secret_expires_at) =
         (SELECT url, events, description, include_customer_number, status, disabled_reason, failing_since, secret,
                 previous_secret, previous_secret_expires_at
          FROM jsonb_populate_record(kept, $4))
       WHERE project_id = $1 AND sandbox = $2 AND id = $3
         AND ($5::boolean OR NOT (jsonb_populate_record(kept, $4)).include_customer_number
           OR (include_customer_number AND url = (jsonb_populate_record(kept, $4)).url))
       RETURNING *`,
      [editor.projectId, editor.sandbox, id, JSON.stringify(changes), editor.seesNumbers === true],
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

/** An endpoint that was disabled because it failed. */
export interface DisabledEndpoint {
  readonly id: string;
  readonly project_id: string;
  readonly organization_id: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly failing_since: Date | null;
}

/** Disables an endpoint. @returns null if it is not enabled any more. */
export async function disableFailedEndpoint(
  db: Queryable,
  id: string,
  reason: 'gone' | 'failing',
): Promise<DisabledEndpoint | null> {
  const rows = await db.query<DisabledEndpoint>(
    `UPDATE webhook_endpoints AS endpoint SET status = 'disabled', disabled_reason = $2
     FROM projects AS project
     WHERE endpoint.id = $1 AND endpoint.status = 'enabled' AND project.id = endpoint.project_id
     RETURNING endpoint.id, endpoint.project_id, project.organization_id, endpoint.sandbox, endpoint.url,
               endpoint.failing_since`,
    [id, reason],
  );
  return rows[0] ?? null;
}
