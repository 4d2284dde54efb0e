import { CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import type { Queryable } from '../../database.js';
import { allowRemovals, eraseBesideRecords } from './erase-calls.js';
import type { SearchPosition } from './found-calls.js';

/** A live call, as far as ending it needs it. */
interface LiveCall {
  readonly id: string;
  readonly engine_id: string;
}

/** A page of a project's calls, oldest first. */
export interface CallsPage {
  readonly calls: readonly { readonly id: string; readonly sandbox: boolean }[];
  /** After the page; null: it was the last one. */
  readonly next: SearchPosition | null;
}

const LIVE = CALL_STATUSES.filter((status) => !isFinal(status))
  .map((status) => `'${status}'`)
  .join(', ');
const OWN_PROJECTS = `SELECT id FROM projects WHERE organization_id = $1`;
const UNSETTLED = `'recording', 'paused', 'held', 'stopped'`;

export function liveCalls(on: Queryable, organizationId: string, limit: number): Promise<LiveCall[]> {
  return on.query<LiveCall>(
    `SELECT id, engine_id FROM calls WHERE project_id IN (${OWN_PROJECTS}) AND status IN (${LIVE}) LIMIT $2`,
    [organizationId, limit],
  );
}

/** Whether calls that are over have legs, recordings or costs that are not settled. */
export async function hasUnsettled(on: Queryable, organizationId: string): Promise<boolean> {
  const rows = await on.query(
    `SELECT 1 FROM legs JOIN calls ON calls.id = legs.call_id
       WHERE legs.status <> 'ended' AND calls.project_id IN (${OWN_PROJECTS})
     UNION ALL
     SELECT 1 FROM recordings WHERE project_id IN (${OWN_PROJECTS}) AND status IN (${UNSETTLED})
     UNION ALL
     SELECT 1 FROM unrated_calls JOIN calls ON calls.id = unrated_calls.call_id
       WHERE calls.project_id IN (${OWN_PROJECTS}) LIMIT 1`,
    [organizationId],
  );
  return rows.length > 0;
}

/** Gives up what waits to be sent for the organization. @returns how many deliveries, at most `limit` */
export async function stopDeliveries(tx: Queryable, organizationId: string, limit: number): Promise<number> {
  const rows = await tx.query(
    `UPDATE webhook_deliveries SET status = 'dead', last_error = 'endpoint_disabled'
     WHERE id IN (
       SELECT id FROM webhook_deliveries WHERE status = 'pending' AND project_id IN (${OWN_PROJECTS}) LIMIT $2
     ) AND status = 'pending' RETURNING 1`,
    [organizationId, limit],
  );
  return rows.length;
}

/** @param before only calls that were created before; null: all */
export async function pageOfCalls(
  on: Queryable,
  from: SearchPosition,
  before: Date | null,
  limit: number,
): Promise<CallsPage> {
  const rows = await on.query<{ id: string; sandbox: boolean; at: string }>(
    `SELECT id, sandbox, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM calls
     WHERE project_id = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid) AND ($4::timestamptz IS NULL OR created_at < $4)
     ORDER BY created_at, id LIMIT $5`,
    [from.projectId, from.createdAt, from.id, before, limit],
  );
  const last = rows.at(-1);
  const next = rows.length < limit || !last ? null : { projectId: from.projectId, createdAt: last.at, id: last.id };
  return { calls: rows, next };
}

/** Deletes everything of these calls but their records, and what is recorded under legal hold. */
export async function eraseCallDetails(tx: Queryable, callIds: readonly string[]): Promise<void> {
  const ids = [callIds];
  const gone = `SELECT id FROM recordings WHERE call_id = ANY ($1::uuid[]) AND NOT (legal_hold AND status = 'available')`;
  await tx.query(`DELETE FROM voicemails WHERE id IN (${gone})`, ids);
  await tx.query(`DELETE FROM transcripts WHERE recording_id IN (${gone})`, ids);
  await tx.query(`DELETE FROM recording_removals WHERE recording_id IN (${gone})`, ids);
  await tx.query(`DELETE FROM recordings WHERE id IN (${gone})`, ids);
  await tx.query(`DELETE FROM conference_participants WHERE call_id = ANY ($1::uuid[])`, ids);
  await tx.query(`DELETE FROM transfers WHERE call_id = ANY ($1::uuid[])`, ids);
  await eraseBesideRecords(tx, callIds);
}

/**
 * Deletes the records of calls whose details are gone. A call that is recorded under legal hold stays.
 * @returns how many were deleted
 */
export async function deleteCalls(tx: Queryable, callIds: readonly string[]): Promise<number> {
  await allowRemovals(tx);
  const free = await tx.query<{ id: string }>(
    `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM recordings WHERE call_id = calls.id)`,
    [callIds],
  );
  const ids = [free.map(({ id }) => id)];
  for (const table of ['rating_corrections', 'call_ratings', 'unrated_calls', 'charges', 'legs']) {
    await tx.query(`DELETE FROM ${table} WHERE call_id = ANY ($1::uuid[])`, ids);
  }
  await tx.query(`DELETE FROM calls WHERE id = ANY ($1::uuid[])`, ids);
  return free.length;
}

/** When the first and the last call of the organization were created; null: there is none. */
export async function callsLeft(
  on: Queryable,
  organizationId: string,
): Promise<{ readonly first: Date; readonly last: Date; readonly count: number } | null> {
  const [row] = await on.query<{ first: Date | null; last: Date | null; count: number }>(
    `SELECT min(created_at) AS first, max(created_at) AS last, count(*)::int AS count
     FROM calls WHERE project_id IN (${OWN_PROJECTS})`,
    [organizationId],
  );
  return row?.first && row.last ? { first: row.first, last: row.last, count: row.count } : null;
}
