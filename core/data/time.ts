import type { Queryable } from './database.js';

/** The database's clock, which is the same for every process. */
export async function databaseTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now');
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
