import type { Queryable } from '../database.js';

/**
 * One step of the schema. Both directions run inside a transaction; `down` reverts everything in
 * `up`. A released migration never changes.
 */
export interface Migration {
  readonly name: string;
  up(db: Queryable): Promise<void>;
  down(db: Queryable): Promise<void>;
}

/** A migration made of SQL only. */
export function sqlMigration(name: string, up: string, down: string): Migration {
  const run = (sql: string) => async (db: Queryable) => {
    await db.query(sql);
  };
  return { name, up: run(up), down: run(down) };
}
