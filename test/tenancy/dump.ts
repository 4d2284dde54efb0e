import { createHash } from 'node:crypto';
import type { Database } from '../../core/data/database.js';

/** Tables that change without a request's effect: the record of requests, leases, and the work of other processes. */
const RESTLESS = new Set([
  'administrator_tokens',
  'api_keys',
  'audit_chain',
  'audit_log',
  'engine_candidates',
  'engines',
  'idempotency_keys',
  'queue_dispatchers',
  'refused_calls',
  'regular_work',
  'sandbox_trials',
  'trunk_states',
  'umzug',
  'usage_deltas',
  'usage_rollups',
]);

/** A hash of each table's rows, by the table's name. */
export type Dump = ReadonlyMap<string, string>;

export async function dump(db: Database): Promise<Dump> {
  const tables = (await tablesOf(db)).filter((name) => !RESTLESS.has(name));
  const hashes = tables.map(
    (name) =>
      `SELECT '${name}' AS name, coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS rows FROM ${name} t`,
  );
  const rows = await db.query<{ name: string; rows: string }>(hashes.join(' UNION ALL '));
  return new Map(rows.map(({ name, rows: text }) => [name, createHash('sha256').update(text).digest('hex')]));
}

/** The tables with different rows. */
export function changedTables(before: Dump, after: Dump): string[] {
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name));
}

const known = new WeakMap<Database, Promise<string[]>>();

function tablesOf(db: Database): Promise<string[]> {
  const sql = `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;
  const found = known.get(db) ?? db.query<{ name: string }>(sql).then((rows) => rows.map(({ name }) => name));
  known.set(db, found);
  return found;
}
