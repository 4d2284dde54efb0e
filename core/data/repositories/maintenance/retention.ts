import { FINAL_CALL_STATUSES } from '../../../model/call/call.js';
import { lowestIdAt } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';

/** Where the next batch begins, and what this one deleted, by table. */
export interface PurgedBatch {
  /** Null when there is nothing more to look at. */
  readonly lastId: string | null;
  readonly deleted: Readonly<Record<string, number>>;
}

/** Deletes at most `limit` rows that are older than `before`, beginning behind `afterId`. Rows are found by their ids, which begin with a time. */
export type Purge = (db: Database, before: Date, afterId: string, limit: number) => Promise<PurgedBatch>;

/** Below every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const LIVE_CALL = (callId: string) =>
  `EXISTS (SELECT 1 FROM calls WHERE calls.id = ${callId} AND calls.status <> ALL ('{${FINAL_CALL_STATUSES.join()}}'))`;

/**
 * Events with their deliveries and the attempts at these. One stays as long as a delivery of it is pending or its call lives, with all
 * that hangs on it.
 */
export const purgeEvents: Purge = (db, before, afterId, limit) =>
  db.transaction(async (tx) => {
    const ids = await idsOf(tx, 'events', before, afterId, limit);
    // Locked: nobody adds a delivery to one of them from here on.
    const doomed = await tx.query<{ id: string }>(
      `SELECT id FROM events AS event WHERE id = ANY ($1::uuid[]) AND created_at < $2 AND NOT ${LIVE_CALL('event.call_id')}
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = event.id AND status = 'pending')
       FOR UPDATE SKIP LOCKED`,
      [ids, before],
    );
    const chosen = doomed.map(({ id }) => id);
    // A delivery that is sent again at this moment is pending by now.
    const deliveries = await tx.query(
      `DELETE FROM webhook_deliveries WHERE event_id = ANY ($1::uuid[]) AND status <> 'pending' RETURNING 1`,
      [chosen],
    );
    const events = await tx.query(
      `DELETE FROM events WHERE id = ANY ($1::uuid[])
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = events.id) RETURNING 1`,
      [chosen],
    );
    return {
      lastId: lastOf(ids, limit),
      deleted: { events: events.length, webhook_deliveries: deliveries.length },
    };
  });

/** What happened in calls that are over. */
export const purgeTimeline: Purge = async (db, before, afterId, limit) => {
  const ids = await idsOf(db, 'call_timeline', before, afterId, limit);
  const rows = await db.query(
    `DELETE FROM call_timeline AS entry WHERE id = ANY ($1::uuid[]) AND at < $2 AND NOT ${LIVE_CALL('entry.call_id')} RETURNING 1`,
    [ids, before],
  );
  return { lastId: lastOf(ids, limit), deleted: { call_timeline: rows.length } };
};

export const purgeAudit: Purge = async (db, before, afterId, limit) => {
  const ids = await idsOf(db, 'audit_log', before, afterId, limit);
  const rows = await db.query(`DELETE FROM audit_log WHERE id = ANY ($1::uuid[]) AND created_at < $2 RETURNING 1`, [
    ids,
    before,
  ]);
  return { lastId: lastOf(ids, limit), deleted: { audit_log: rows.length } };
};

/** Codes that can be entered no more, with the verifications that they were for. */
export const purgeCodes = purgeClosed('one_time_codes');

/** Authentication calls that are over. */
export const purgeChallenges = purgeClosed('voice_auth_challenges');

function purgeClosed(table: 'one_time_codes' | 'voice_auth_challenges'): Purge {
  return async (db, before, afterId, limit) => {
    const ids = await idsOf(db, table, before, afterId, limit);
    const rows = await db.query(
      `DELETE FROM ${table} WHERE id = ANY ($1::uuid[]) AND created_at < $2 AND state <> 'pending' RETURNING 1`,
      [ids, before],
    );
    return { lastId: lastOf(ids, limit), deleted: { [table]: rows.length } };
  };
}

/**
 * Close codes that nobody entered in time, whose hash goes with that. Verifications are closed, and told of, within a second by themselves.
 * @returns how many, at most `limit`
 */
export async function closeLateCodes(db: Database, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `UPDATE one_time_codes SET state = 'expired', hash = NULL, closed_at = $1
     WHERE id IN (
       SELECT id FROM one_time_codes WHERE state = 'pending' AND purpose <> 'verify' AND expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [now, limit],
  );
  return rows.length;
}

type Table = 'events' | 'call_timeline' | 'audit_log' | 'one_time_codes' | 'voice_auth_challenges';

async function idsOf(db: Queryable, table: Table, before: Date, afterId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    [afterId, lowestIdAt(before), limit],
  );
  return rows.map(({ id }) => id);
}

function lastOf(ids: readonly string[], limit: number): string | null {
  return ids.length < limit ? null : (ids.at(-1) ?? null);
}

/** When regular work of this name was last finished, by whichever process; null for never. */
export async function lastFinished(db: Queryable, name: string): Promise<Date | null> {
  const [row] = await db.query<{ finished_at: Date }>('SELECT finished_at FROM regular_work WHERE name = $1', [name]);
  return row?.finished_at ?? null;
}

export async function noteFinished(db: Queryable, name: string, at: Date): Promise<void> {
  await db.query(
    `INSERT INTO regular_work (name, finished_at) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET finished_at = excluded.finished_at`,
    [name, at],
  );
}

/**
 * Do work that only one process may do at a time, on a lock that goes with its connection.
 * @returns false, and nothing was done, where another process is at it
 */
export async function alone(db: Database, lock: number, work: () => Promise<void>): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [lock]);
    if (row?.held !== true) return false;
    await work();
    return true;
  });
}
