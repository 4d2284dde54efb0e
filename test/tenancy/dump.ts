import pg from 'pg';

/** Tables that change without a request's effect: the record of requests, leases, and the work of other processes. */
const RESTLESS = new Set([
  'administrator_tokens',
  'api_keys',
  'audit_chain',
  'audit_log',
  'chat_attendance',
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

/** A moment of the database. */
export interface Dump {
  /** By the table's name: the number of its rows and the sum of their hashes. */
  readonly tables: ReadonlyMap<string, string>;
  /** Rows that later transactions write have this or a later one. */
  readonly transaction: string;
}

/** Compares moments of a database. Its connection keeps the plan of the statement, which reads every table. */
export class Dumps {
  private constructor(
    private readonly client: pg.Client,
    private readonly statement: string,
  ) {}

  static async open(url: string): Promise<Dumps> {
    // To start parallel workers takes ten times as long as to read these tables.
    const client = new pg.Client({ connectionString: url, options: '-c max_parallel_workers_per_gather=0' });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
    );
    const selects = rows
      .filter(({ name }) => !RESTLESS.has(name))
      .map(
        ({ name }) =>
          `SELECT '${name}' AS name, concat(count(*), ':', sum(hashtextextended(t::text, 0))) AS rows FROM ${name} t`,
      );
    return new Dumps(client, selects.join(' UNION ALL '));
  }

  async take(): Promise<Dump> {
    const sql = `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS transaction`;
    const now = await this.client.query<{ transaction: string }>(sql);
    const { rows } = await this.client.query<{ name: string; rows: string }>({ name: 'dump', text: this.statement });
    const tables = new Map(rows.map(({ name, rows: counted }) => [name, counted]));
    return { tables, transaction: now.rows[0]?.transaction ?? '0' };
  }

  /** The rows of a table that were written since, as JSON. */
  async writtenSince({ transaction }: Dump, table: string): Promise<string[]> {
    const { rows } = await this.client.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE xmin::text::bigint >= $1::bigint & x'ffffffff'::bigint`,
      [transaction],
    );
    return rows.map(({ row }) => row);
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

/** The tables with different rows. */
export function changedTables({ tables: before }: Dump, { tables: after }: Dump): string[] {
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name));
}
