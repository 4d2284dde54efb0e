import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { asDatabaseError } from '../errors.js';

/** The columns of a table to copy, by name, so that their order does not matter. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface SnapshotTable extends TableShape {
  /** Size on disk, for progress reports. */
  readonly bytes: number;
}

/** The list of applied migrations; a restore fills it by migrating. */
const MIGRATIONS = 'migrations';

/** Settings that make COPY's text the same on every server (as pg_dump sets them). */
const PORTABLE = `
  SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET client_encoding = 'UTF8'; SET DateStyle = ISO; SET IntervalStyle = postgres; SET TimeZone = 'UTC'; SET extra_float_digits = 3`;

const TABLES = `
  SELECT c.relname AS name, pg_table_size(c.oid) AS bytes,
    (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute AS a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT coalesce(array_agg(DISTINCT r.relname::text), '{}') FROM pg_constraint AS f JOIN pg_class AS r ON r.oid = f.confrelid
     WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
  FROM pg_class AS c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> $1
  ORDER BY c.relname`;

interface TableRow {
  readonly name: string;
  readonly bytes: string;
  readonly columns: string[];
  readonly needs: string[];
}

/** A connection for copies, without any timeouts. */
export async function copyClient(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // The running statement rejects; without a listener the process would exit.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(PORTABLE);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw asDatabaseError(error);
  }
  return client;
}

/** A consistent snapshot of the whole database, taken while others keep writing. */
export class Snapshot {
  private constructor(
    private readonly client: pg.Client,
    /** Names of the applied migrations, in order. */
    readonly migrations: readonly string[],
    /** Every table, after the tables that it references. */
    readonly tables: readonly SnapshotTable[],
  ) {}

  /** @throws DatabaseUnavailable; pg's error 42P01 if the database was never set up. */
  static async open(url: string): Promise<Snapshot> {
    const client = await copyClient(url, 'hatif-backup');
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const applied = await client.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS} ORDER BY name`);
      const tables = await client.query<TableRow>(TABLES, [MIGRATIONS]);
      return new Snapshot(
        client,
        applied.rows.map(({ name }) => name),
        inOrder(tables.rows),
      );
    } catch (error) {
      await client.end().catch(() => undefined);
      throw asDatabaseError(error);
    }
  }

  async query<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.client.query<Row>(sql)).rows;
  }

  /**
   * The table's rows in COPY's text format, in chunks that do not align with rows.
   * @returns the number of rows
   */
  async *copy({ name, columns }: TableShape): AsyncGenerator<Buffer, number> {
    const stream = this.client.query(copyTo(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) TO STDOUT`));
    try {
      for await (const piece of stream as Readable) yield piece as Buffer;
    } catch (error) {
      throw asDatabaseError(error);
    }
    return stream.rowCount;
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

export function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** Sorts each table after the tables that its foreign keys reference. */
function inOrder(rows: readonly TableRow[]): SnapshotTable[] {
  const placed = new Set<string>();
  const order: SnapshotTable[] = [];
  while (order.length < rows.length) {
    const ready = rows.filter(({ name, needs }) => !placed.has(name) && needs.every((other) => placed.has(other)));
    if (ready.length === 0) throw new Error('the tables reference each other in a circle');
    for (const { name, columns, bytes } of ready) {
      placed.add(name);
      order.push({ name, columns, bytes: Number(bytes) });
    }
  }
  return order;
}
