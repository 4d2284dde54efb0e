import type { Queryable } from '../database.js';

/** One step of the schema. Both ways run inside a transaction, `down` leaves nothing of `up`. A released one never changes. */
export interface Migration {
  readonly name: string;
  up(db: Queryable): Promise<void>;
  down(db: Queryable): Promise<void>;
}

/** A migration that is only SQL. */
export function sqlMigration(name: string, up: string, down: string): Migration {
  return {
    name,
    up: async (db) => void (await db.query(up)),
    down: async (db) => void (await db.query(down)),
  };
}
