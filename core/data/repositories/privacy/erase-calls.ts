import { WITHHELD_NUMBER } from '../../../model/phone-numbers.js';
import type { Queryable } from '../../database.js';

/** A program of which only the kind is left. */
const EMPTY_PROGRAM = `jsonb_build_object('spec', jsonb_build_object('type', program->'spec'->'type'), 'state', NULL)`;

/** What calls say besides their record: a finished call needs none of it. `$1`: their ids. */
const EMPTY_CALLS = `
  UPDATE calls SET caller_id_name = NULL, metadata = '{}', webhook_url = NULL, program = ${EMPTY_PROGRAM},
    options = options || '{"send_digits": null}'
  WHERE id = ANY ($1::uuid[])`;

/** The number of a charge without its last four digits: what it cost can still be computed. */
const NUMBER_BLOCK = `left(number, greatest(0, length(number) - 4))`;

/** The numbers of customers in calls that need not be kept, `$1`, and in their legs and charges. */
const REMOVE_NUMBERS = `
  WITH gone AS (
    SELECT legs.id FROM legs JOIN calls AS call ON call.id = legs.call_id
    WHERE call.id = ANY ($1::uuid[]) AND (legs.role = 'customer' OR legs.number = call.customer_number)
  ), emptied AS (
    UPDATE legs SET number = NULL, endpoint = jsonb_build_object('type', endpoint->'type') WHERE id IN (SELECT id FROM gone)
  ), charged AS (
    UPDATE charges SET number = ${NUMBER_BLOCK} WHERE leg_id IN (SELECT id FROM gone) AND number IS NOT NULL
  )
  UPDATE calls SET customer_number = '${WITHHELD_NUMBER}',
    caller_id_number = CASE WHEN caller_id_number = customer_number THEN NULL ELSE caller_id_number END
  WHERE id = ANY ($1::uuid[])`;

/** The number `$2` in legs of other people's calls, `$1`. */
const REMOVE_FROM_LEGS = `
  WITH gone AS (
    SELECT id FROM legs WHERE call_id = ANY ($1::uuid[]) AND number = $2
  ), charged AS (
    UPDATE charges SET number = ${NUMBER_BLOCK} WHERE leg_id IN (SELECT id FROM gone) AND number IS NOT NULL
  )
  UPDATE legs SET number = NULL, endpoint = jsonb_build_object('type', endpoint->'type') WHERE id IN (SELECT id FROM gone)`;

/** Charges never change, except in a transaction that says so. */
export async function allowRemovals(tx: Queryable): Promise<void> {
  await tx.query(`SET LOCAL hatif.retention_ended = 'on'`);
}

/** Which of these calls need not be kept any more, and until when the others must be. */
export async function sortByRetention(
  on: Queryable,
  callIds: readonly string[],
  cdrYears: number,
  now: Date,
): Promise<{ readonly free: string[]; readonly kept: number; readonly keptUntil: Date | null }> {
  const rows = await on.query<{ id: string; until: Date }>(
    `SELECT id, created_at + make_interval(years => $2) AS until FROM calls WHERE id = ANY ($1::uuid[])`,
    [callIds, cdrYears],
  );
  const kept = rows.filter(({ until }) => until > now);
  const last = Math.max(...kept.map(({ until }) => until.getTime()));
  return {
    free: rows.filter(({ until }) => until <= now).map(({ id }) => id),
    kept: kept.length,
    keptUntil: kept.length === 0 ? null : new Date(last),
  };
}

/** Deletes what calls left besides their records: timeline, events with their deliveries, what clients added. */
export async function eraseBesideRecords(
  tx: Queryable,
  callIds: readonly string[],
): Promise<{ readonly timeline: number; readonly events: number }> {
  const timeline = await tx.query(`DELETE FROM call_timeline WHERE call_id = ANY ($1::uuid[]) RETURNING 1`, [callIds]);
  await tx.query(
    `DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE call_id = ANY ($1::uuid[]))`,
    [callIds],
  );
  const events = await tx.query(`DELETE FROM events WHERE call_id = ANY ($1::uuid[]) RETURNING 1`, [callIds]);
  await tx.query(EMPTY_CALLS, [callIds]);
  return { timeline: timeline.length, events: events.length };
}

/** Removes the customers' numbers from the records of these calls. */
export async function removeNumbers(tx: Queryable, callIds: readonly string[]): Promise<void> {
  if (callIds.length === 0) return;
  await allowRemovals(tx);
  await tx.query(REMOVE_NUMBERS, [callIds]);
}

/** Removes a number from the legs of other people's calls. */
export async function removeFromLegs(tx: Queryable, callIds: readonly string[], number: string): Promise<void> {
  if (callIds.length === 0) return;
  await allowRemovals(tx);
  await tx.query(REMOVE_FROM_LEGS, [callIds, number]);
}

/** Removes a number that these calls were transferred to. @returns how many transfers named it */
export async function eraseTransferTarget(tx: Queryable, callIds: readonly string[], number: string): Promise<number> {
  const rows = await tx.query(
    `UPDATE transfers SET destination = jsonb_set(destination, '{target}', '"${WITHHELD_NUMBER}"')
     WHERE call_id = ANY ($1::uuid[]) AND destination->>'target' = $2 RETURNING 1`,
    [callIds, number],
  );
  return rows.length;
}
