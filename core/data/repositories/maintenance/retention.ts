import { FINAL_CALL_STATUSES } from '../../../model/call/call.js';
import { lowestIdAt } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';

/** The start of the next batch, and the number of rows deleted by this one, by table. */
export interface PurgedBatch {
  /** Null if no rows are left to examine. */
  readonly lastId: string | null;
  readonly deleted: Readonly<Record<string, number>>;
}

/**
 * Deletes at most `limit` rows older than `before`, starting after `afterId`. Rows are selected by
 * their ids, which start with a time.
 */
export type Purge = (db: Database, before: Date, afterId: string, limit: number) => Promise<PurgedBatch>;

/** Lower than every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const LIVE_CALL = (callId: string) =>
  `EXISTS (SELECT 1 FROM calls WHERE calls.id = ${callId} AND calls.status <> ALL ('{${FINAL_CALL_STATUSES.join()}}'))`;

/**
 * Purges events with their deliveries and attempts. An event is kept with everything that
 * references it while its call is live or one of its deliveries is pending.
 */
export const purgeEvents: Purge = (db, before, afterId, limit) =>
  db.transaction(async (tx) => {
    const ids = await idsOf(tx, 'events', before, afterId, limit);
    // The lock prevents new deliveries of these events.
    const doomed = await tx.query<{ id: string }>(
      `SELECT id FROM events AS event WHERE id = ANY ($1::uuid[]) AND created_at < $2 AND NOT ${LIVE_CALL('event.call_id')}
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = event.id AND status = 'pending')
       FOR UPDATE SKIP LOCKED`,
      [ids, before],
    );
    const chosen = doomed.map(({ id }) => id);
    // A delivery that was just requeued is pending again and is kept.
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

/** Purges timeline entries of finished calls. */
export const purgeTimeline: Purge = async (db, before, afterId, limit) => {
  const ids = await idsOf(db, 'call_timeline', before, afterId, limit);
  const rows = await db.query(
    `DELETE FROM call_timeline AS entry WHERE id = ANY ($1::uuid[]) AND at < $2 AND NOT ${LIVE_CALL('entry.call_id')} RETURNING 1`,
    [ids, before],
  );
  return { lastId: lastOf(ids, limit), deleted: { call_timeline: rows.length } };
};

/** Purges closed codes together with their verifications. */
export const purgeCodes = purgeClosed('one_time_codes');

/** Purges completed authentication challenges. */
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
 * Closes expired codes and deletes their hashes. Verifications are excluded: they expire, with an
 * event, within a second by themselves.
 * @returns the number of closed codes, at most `limit`
 */
export async function closeExpiredCodes(db: Database, now: Date, limit: number): Promise<number> {
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

type Table = 'events' | 'call_timeline' | 'one_time_codes' | 'voice_auth_challenges';

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

/** When periodic work with this name last finished in any process; null if never. */
export async function lastFinished(db: Queryable, name: string): Promise<Date | null> {
  const [row] = await db.query<{ finished_at: Date }>('SELECT finished_at FROM regular_work WHERE name = $1', [name]);
  return row?.finished_at ?? null;
}

export async function recordFinished(db: Queryable, name: string, at: Date): Promise<void> {
  await db.query(
    `INSERT INTO regular_work (name, finished_at) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET finished_at = excluded.finished_at`,
    [name, at],
  );
}

/**
 * Runs `work` under a lock that only one process can hold; the lock ends with the connection.
 * @returns false, and does nothing, if another process holds the lock
 */
export async function runExclusively(db: Database, lock: number, work: () => Promise<void>): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [lock]);
    if (row?.held !== true) return false;
    await work();
    return true;
  });
}
