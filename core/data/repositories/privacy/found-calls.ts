import { CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import type { Subject } from '../../../model/privacy/subject.js';
import type { Queryable } from '../../database.js';

/** Where a search through the calls of an organization is: after this call of this project. */
export interface SearchPosition {
  readonly projectId: string;
  readonly createdAt: string;
  readonly id: string;
}

export interface SearchedPage {
  /** Calls that were looked at; fewer than the limit: these were the project's last. */
  readonly seen: number;
  readonly found: number;
  readonly last: SearchPosition | null;
}

/** A call that the person was found in. */
export interface FoundCall {
  readonly call_id: string;
  /** The call is of another customer: the person only joined it. */
  readonly is_party: boolean;
}

const LIVE = CALL_STATUSES.filter((status) => !isFinal(status))
  .map((status) => `'${status}'`)
  .join(', ');

/** Whether the call is of the person, whose identifier is `$7`; `$8`: whether that is a telephone number. */
const IS_CUSTOMER = `($8 AND page.customer_number = $7)
  OR EXISTS (SELECT FROM jsonb_each_text(page.metadata) AS member WHERE member.value = $7)`;

const SEARCH = `
  WITH page AS MATERIALIZED (
    SELECT id, created_at, customer_number, metadata FROM calls
    WHERE project_id = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid) AND created_at < $4
    ORDER BY created_at, id LIMIT $5
  ), looked AS (
    SELECT page.id, (${IS_CUSTOMER}) AS is_customer,
      $8 AND EXISTS (SELECT FROM legs WHERE legs.call_id = page.id AND legs.number = $7) AS is_joined
    FROM page
  ), added AS (
    INSERT INTO privacy_calls (job_id, call_id, is_party)
    SELECT $6, id, NOT is_customer FROM looked WHERE is_customer OR is_joined
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM page) AS seen, (SELECT count(*)::int FROM added) AS found, last.id,
    to_char(last.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM (SELECT true) AS one LEFT JOIN (SELECT id, created_at FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS last ON true`;

/** How far the clocks of two processes may differ. */
const SLACK_MS = 2_000;

/** What was created later is none of a request's business. */
export function endOfSearch({ created_at }: { readonly created_at: Date }): Date {
  return new Date(created_at.getTime() + SLACK_MS);
}

/**
 * Looks through the next calls of a project for the person, and remembers those that are found. There is no index on
 * customers' numbers: writing calls is worth more than finding a person fast.
 */
export async function searchCalls(
  tx: Queryable,
  job: { readonly id: string; readonly created_at: Date },
  { type, value }: Subject,
  from: SearchPosition,
  limit: number,
): Promise<SearchedPage> {
  const [row] = await tx.query<{ seen: number; found: number; id: string | null; at: string | null }>(SEARCH, [
    ...[from.projectId, from.createdAt, from.id, endOfSearch(job), limit],
    ...[job.id, value, type === 'phone'],
  ]);
  const { seen = 0, found = 0, id = null, at = null } = row ?? {};
  return { seen, found, last: id === null || at === null ? null : { projectId: from.projectId, createdAt: at, id } };
}

/** The first project of the organization after this one, also if it was removed. */
export async function projectAfter(
  tx: Queryable,
  organizationId: string,
  after: string | null,
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `SELECT id FROM projects WHERE organization_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT 1`,
    [organizationId, after],
  );
  return row?.id ?? null;
}

/** The calls that were found, by their ids, those after `after`. */
export function foundCalls(on: Queryable, jobId: string, after: string | null, limit: number): Promise<FoundCall[]> {
  return on.query<FoundCall>(
    `SELECT call_id, is_party FROM privacy_calls WHERE job_id = $1 AND ($2::uuid IS NULL OR call_id > $2)
     ORDER BY call_id LIMIT $3`,
    [jobId, after, limit],
  );
}

/** Whether any of the calls that were found is not over, or waits to be stored or rated. */
export async function hasUnfinished(on: Queryable, jobId: string): Promise<boolean> {
  const rows = await on.query(
    `SELECT 1 FROM privacy_calls AS found JOIN calls AS call ON call.id = found.call_id
     WHERE found.job_id = $1 AND (
       call.status IN (${LIVE})
       OR EXISTS (SELECT FROM unrated_calls AS unrated WHERE unrated.call_id = call.id)
       OR EXISTS (SELECT FROM legs WHERE legs.call_id = call.id AND legs.status <> 'ended')
       OR EXISTS (
         SELECT FROM recordings WHERE recordings.call_id = call.id
           AND recordings.status IN ('recording', 'paused', 'held', 'stopped'))
     ) LIMIT 1`,
    [jobId],
  );
  return rows.length > 0;
}

/** Forgets calls in which nothing is left to erase. */
export async function forgetCalls(tx: Queryable, jobId: string, callIds: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM privacy_calls WHERE job_id = $1 AND call_id = ANY ($2::uuid[])`, [jobId, callIds]);
}

/** When the first and the last of the calls that are left need not be kept any more; null: none is left. */
export async function retentionOfFound(
  tx: Queryable,
  jobId: string,
  cdrYears: number,
): Promise<{ readonly first: Date; readonly last: Date } | null> {
  const [row] = await tx.query<{ first: Date | null; last: Date | null }>(
    `SELECT min(call.created_at) + make_interval(years => $2) AS first, max(call.created_at) + make_interval(years => $2) AS last
     FROM privacy_calls AS found JOIN calls AS call ON call.id = found.call_id WHERE found.job_id = $1`,
    [jobId, cdrYears],
  );
  return row?.first && row.last ? { first: row.first, last: row.last } : null;
}
