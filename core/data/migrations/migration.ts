import type { Queryable } from '../database.js';

/** One step of the schema. Both ways run inside a transaction, `down` leaves nothing of `up`. A released one never changes. */
export interface Migration {
  readonly name: string;
  up(db: Queryable): Promise<void>;
  down(db: Queryable): Promise<void>;
}

/** A migration that is only SQL. */
export function sqlMigration(name: string, up: string, down: string): Migration {
  const run = (sql: string) => async (db: Queryable) => {
    await db.query(sql);
  };
  return { name, up: run(up), down: run(down) };
}
