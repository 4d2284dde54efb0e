import { Umzug, type UmzugStorage } from 'umzug';

import { Database, type Queryable } from '../database.js';
import { migrations } from '../migrations/index.js';

/** Id of the advisory lock for schema changes. */
const LOCK = 4_871_002_966;

const storage: UmzugStorage<Queryable> = {
  async logMigration({ name, context }) {
    await context.query(`INSERT INTO migrations (name) VALUES ($1)`, [name]);
  },
  async unlogMigration({ name, context }) {
    await context.query(`DELETE FROM migrations WHERE name = $1`, [name]);
  },
  async executed({ context }) {
    const rows = await context.query<{ name: string }>(`SELECT name FROM migrations ORDER BY name`);
    return rows.map((row) => row.name);
  },
};

function umzug(context: Queryable): Umzug<Queryable> {
  return new Umzug<Queryable>({
    context,
    storage,
    logger: undefined,
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => migration.up(context),
      down: () => migration.down(context),
    })),
  });
}

/**
 * Runs all migrations in one transaction under one lock: of two processes that start at once, the
 * second waits and finds nothing to do, and a failed step leaves the schema unchanged. There is no
 * statement timeout.
 */
async function locked<T>(url: string, work: (umzug: Umzug<Queryable>) => Promise<T>): Promise<T> {
  const db = Database.open(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await db.transaction(async (tx) => {
      await lockSchema(tx);
      return work(umzug(tx));
    });
  } finally {
    await db.close();
  }
}

/** Locks the schema until the end of the transaction: a platform that starts meanwhile waits. */
export async function lockSchema(tx: Queryable): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock($1)`, [LOCK]);
  await tx.query(`
    CREATE TABLE IF NOT EXISTS migrations (
      name text PRIMARY KEY,
      applied_at timestamptz(3) NOT NULL DEFAULT now()
    )`);
}

/**
 * Applies migrations in a transaction that holds {@link lockSchema}: those with these names, or all
 * pending ones. @returns the applied names
 */
export async function migrateOn(tx: Queryable, names?: readonly string[]): Promise<string[]> {
  if (names?.length === 0) return [];
  const applied = await umzug(tx).up(names === undefined ? {} : { migrations: [...names] });
  return applied.map((migration) => migration.name);
}

/**
 * Reverts every migration in a transaction that holds {@link lockSchema}, which drops all our
 * tables and their data.
 */
export async function dropSchema(tx: Queryable): Promise<void> {
  await umzug(tx).down({ to: 0 });
}

/** The names that this version does not know because a newer version applied them. */
export function unknownMigrations(names: readonly string[]): string[] {
  return names.filter((name) => !migrations.some((migration) => migration.name === name));
}

/** Applies every pending migration. @returns the applied names. @throws DatabaseUnavailable */
export function migrateUp(url: string): Promise<string[]> {
  return locked(url, async (umzug) => (await umzug.up()).map((migration) => migration.name));
}

/**
 * Reverts the last migrations, newest first. @param steps how many; all by default. @returns the
 * reverted names.
 */
export function migrateDown(url: string, steps: number = migrations.length): Promise<string[]> {
  return locked(url, async (umzug) => {
    const applied = await umzug.executed();
    const undo = Math.min(steps, applied.length);
    return undo === 0 ? [] : (await umzug.down({ step: undo })).map((migration) => migration.name);
  });
}

/** The names of the migrations that {@link migrateUp} would apply. */
export function pendingMigrations(url: string): Promise<string[]> {
  return locked(url, async (umzug) => (await umzug.pending()).map((migration) => migration.name));
}
