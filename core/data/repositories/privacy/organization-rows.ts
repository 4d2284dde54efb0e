import { secretColumns } from '../../../model/privacy/columns.js';
import type { Queryable } from '../../database.js';
import { allowRemovals } from './erase-calls.js';
import type { OrganizationTable } from './organization-tables.js';

export interface ArchivedRow {
  readonly key: string;
  readonly shown: object;
}

/** The next rows of an organization in a table, without secrets. */
export async function archivedRows(
  on: Queryable,
  { name, where, key }: OrganizationTable,
  organizationId: string,
  after: string | null,
  limit: number,
): Promise<ArchivedRow[]> {
  if (key === null) return [];
  const type = key.includes('COLLATE') ? 'text' : 'uuid';
  return on.query<ArchivedRow>(
    `SELECT (${key})::text AS key, to_jsonb(${name}) - $4::text[] AS shown FROM ${name}
     WHERE (${where}) AND ($2::${type} IS NULL OR ${key} > $2) ORDER BY ${key} LIMIT $3`,
    [organizationId, after, limit, secretColumns(name)],
  );
}

/** Deletes some rows of an organization. @returns how many; fewer than the limit: none is left */
export async function deleteRows(
  tx: Queryable,
  { name, where }: OrganizationTable,
  organizationId: string,
  limit: number,
): Promise<number> {
  await allowRemovals(tx);
  const rows = await tx.query(
    `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${where} LIMIT $2)) RETURNING 1`,
    [organizationId, limit],
  );
  return rows.length;
}

/** Deletes some events of an organization, with their deliveries. @returns as {@link deleteRows} */
export async function deleteEvents(tx: Queryable, organizationId: string, limit: number): Promise<number> {
  const events = await tx.query<{ id: string }>(
    `SELECT event.id FROM projects AS project
     CROSS JOIN LATERAL (SELECT id FROM events WHERE project_id = project.id ORDER BY id LIMIT $2) AS event
     WHERE project.organization_id = $1 LIMIT $2`,
    [organizationId, limit],
  );
  const ids = [events.map(({ id }) => id)];
  await tx.query(`DELETE FROM webhook_deliveries WHERE event_id = ANY ($1::uuid[])`, ids);
  await tx.query(`DELETE FROM events WHERE id = ANY ($1::uuid[])`, ids);
  return events.length;
}

/** Forgets who had the operator's numbers, before the organization goes. */
export async function forgetInHistory(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(`UPDATE number_changes SET organization_id = NULL, project_id = NULL WHERE organization_id = $1`, [
    organizationId,
  ]);
}

/** Whether numbers are still on their way back to the installation. */
export async function hasNumbers(on: Queryable, organizationId: string): Promise<boolean> {
  const rows = await on.query(`SELECT 1 FROM numbers WHERE organization_id = $1 LIMIT 1`, [organizationId]);
  return rows.length > 0;
}

/** When money last moved for the organization; null: never. */
export async function lastMoney(on: Queryable, organizationId: string): Promise<Date | null> {
  const [row] = await on.query<{ at: Date | null }>(
    `SELECT greatest(
       (SELECT max(issued_at) FROM invoices WHERE organization_id = $1),
       (SELECT max(issued_at) FROM credit_notes WHERE organization_id = $1),
       (SELECT max(created_at) FROM payments WHERE organization_id = $1),
       (SELECT max(created_at) FROM ledger_transactions WHERE organization_id = $1),
       (SELECT max(created_at) FROM number_fees WHERE organization_id = $1),
       (SELECT max(created_at) FROM usage_events WHERE organization_id = $1)) AS at`,
    [organizationId],
  );
  return row?.at ?? null;
}
