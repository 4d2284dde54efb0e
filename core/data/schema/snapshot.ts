import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { asDatabaseError } from '../errors.js';

/** A table as it is copied: with its columns by name, so that the order in which they were made does not matter. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface SnapshotTable extends TableShape {
  /** What it takes on disk, for progress. */
  readonly bytes: number;
}

/** Where the list of applied migrations is kept; a restore makes its rows by migrating. */
const MIGRATIONS = 'migrations';

/** What makes the text of COPY the same on every server and read the same by every other (as pg_dump sets it). */
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

/** A connection for copies: nothing on it is limited in time. */
export async function copyClient(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // The statement under way rejects; without a listener the process would end.
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

/** The whole database as it was at one moment, while others go on writing to it. */
export class Snapshot {
  private constructor(
    private readonly client: pg.Client,
    /** Names of the migrations that made this schema, in their order. */
    readonly migrations: readonly string[],
    /** Every table, each after those that it refers to. */
    readonly tables: readonly SnapshotTable[],
  ) {}

  /** @throws DatabaseUnavailable; pg's error 42P01 where nothing was ever set up. */
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
   * The table's rows in COPY's text format, bit by bit; the pieces do not end where rows end.
   * @returns how many rows there were
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

/** Each table after those that its foreign keys name. */
function inOrder(rows: readonly TableRow[]): SnapshotTable[] {
  const placed = new Set<string>();
  const order: SnapshotTable[] = [];
  while (order.length < rows.length) {
    const ready = rows.filter(({ name, needs }) => !placed.has(name) && needs.every((other) => placed.has(other)));
    if (ready.length === 0) throw new Error('the tables refer to each other in a circle');
    for (const { name, columns, bytes } of ready) {
      placed.add(name);
      order.push({ name, columns, bytes: Number(bytes) });
    }
  }
  return order;
}
