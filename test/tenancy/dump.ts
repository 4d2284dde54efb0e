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
  'scim_tokens',
  'trunk_states',
  'umzug',
  'usage_deltas',
  'usage_rollups',
]);

/** Each table's rows as JSON, in order, by the table's name. */
export type Dump = ReadonlyMap<string, readonly string[]>;

export async function dump(db: Database): Promise<Dump> {
  const tables = (await tablesOf(db)).filter((name) => !RESTLESS.has(name));
  const selects = tables.map(
    (name) => `SELECT '${name}' AS name, array(SELECT to_jsonb(t)::text FROM ${name} t ORDER BY 1) AS rows`,
  );
  const found = await db.query<{ name: string; rows: string[] }>(selects.join(' UNION ALL '));
  return new Map(found.map(({ name, rows }) => [name, rows]));
}

/** The tables with different rows. */
export function changedTables(before: Dump, after: Dump): string[] {
  return [...after.keys()].filter((name) => changedRows(before, after, name).length > 0);
}

/** The rows of a table that only one of the two has: `-` before a row of the first, `+` before one of the second. */
export function changedRows(before: Dump, after: Dump, table: string): string[] {
  const rowsOf = (dumped: Dump): readonly string[] => dumped.get(table) ?? [];
  const only = (rows: readonly string[], others: readonly string[], sign: string): string[] => {
    const known = new Set(others);
    return rows.filter((row) => !known.has(row)).map((row) => `${sign} ${row}`);
  };
  const [old, now] = [rowsOf(before), rowsOf(after)];
  return [...only(old, now, '-'), ...only(now, old, '+')];
}

const known = new WeakMap<Database, Promise<string[]>>();

function tablesOf(db: Database): Promise<string[]> {
  const sql = `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;
  const found = known.get(db) ?? db.query<{ name: string }>(sql).then((rows) => rows.map(({ name }) => name));
  known.set(db, found);
  return found;
}
