import type { Umzug, UmzugStorage } from 'umzug';

import { Database, type Queryable } from '../database.js';
import { migrations } from '../migrations/index.js';

/** Id of the advisory lock for schema changes. */
const LOCK = 4_871_002_966;

async function appliedOn(tx: Queryable): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(`SELECT name FROM migrations ORDER BY name`);
  return rows.map((row) => row.name);
}

const storage: UmzugStorage<Queryable> = {
  async logMigration({ name, context }) {
    await context.query(`INSERT INTO migrations (name) VALUES ($1)`, [name]);
  },
  async unlogMigration({ name, context }) {
    await context.query(`DELETE FROM migrations WHERE name = $1`, [name]);
  },
  executed: ({ context }) => appliedOn(context),
};

/** Loads umzug, which a process with a current schema never needs. */
async function umzug(context: Queryable): Promise<Umzug<Queryable>> {
  const { Umzug } = await import('umzug');
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
async function locked<T>(url: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const db = Database.open(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await db.transaction(async (tx) => {
      await lockSchema(tx);
      return work(tx);
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
  const wanted = names ?? migrations.map(({ name }) => name);
  const known = new Set(await appliedOn(tx));
  if (wanted.every((name) => known.has(name))) return [];
  const applied = await (await umzug(tx)).up(names === undefined ? {} : { migrations: [...names] });
  return applied.map((migration) => migration.name);
}

/**
 * Reverts every migration in a transaction that holds {@link lockSchema}, which drops all our
 * tables and their data.
 */
export async function dropSchema(tx: Queryable): Promise<void> {
  await (await umzug(tx)).down({ to: 0 });
}

/** The names that this version does not know because a newer version applied them. */
export function unknownMigrations(names: readonly string[]): string[] {
  return names.filter((name) => !migrations.some((migration) => migration.name === name));
}

/** Applies every pending migration. @returns the applied names. @throws DatabaseUnavailable */
export function migrateUp(url: string): Promise<string[]> {
  return locked(url, (tx) => migrateOn(tx));
}

/**
 * Reverts the last migrations, newest first. @param steps how many; all by default. @returns the
 * reverted names.
 */
export function migrateDown(url: string, steps: number = migrations.length): Promise<string[]> {
  return locked(url, async (tx) => {
    const undo = Math.min(steps, (await appliedOn(tx)).length);
    return undo === 0 ? [] : (await (await umzug(tx)).down({ step: undo })).map((migration) => migration.name);
  });
}

/** The names of the migrations that {@link migrateUp} would apply. */
export function pendingMigrations(url: string): Promise<string[]> {
  return locked(url, async (tx) => (await (await umzug(tx)).pending()).map((migration) => migration.name));
}
