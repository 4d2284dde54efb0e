import pg from 'pg';
import { Sequelize, Transaction } from 'sequelize';

import { asDatabaseError, DatabaseUnavailable } from './errors.js';
import { utcTimestamp } from './timestamps.js';

export interface DatabaseOptions {
  /** Maximum number of connections; 10 by default. */
  readonly poolSize?: number;
  /**
   * The server cancels a statement after this time; the client gives up two seconds later. 10 s by
   * default, 0 means no limit.
   */
  readonly statementTimeoutMs?: number;
  /** How long to wait for a connection before {@link DatabaseUnavailable}; 5 s by default. */
  readonly acquireTimeoutMs?: number;
}

export interface QueryOptions {
  /** Keeps the plan on each connection. Only for hot statements with constant text. */
  readonly prepared?: boolean;
}

/** The caller states the row type, since it cannot be inferred from the statement. */
type Query = <Row extends object>(sql: string, values?: readonly unknown[], options?: QueryOptions) => Promise<Row[]>;

/**
 * Runs SQL: the database, or a transaction in it. Values are `$1`, `$2`…; text without values may
 * contain several statements. BIGINT is returned as a number, timestamptz as a Date, jsonb parsed.
 * @throws DatabaseUnavailable if the outcome is unknown or nothing was done: retry. pg's
 * DatabaseError for what the server refused.
 */
export interface Queryable {
  readonly query: Query;
  /** For Sequelize's own operations, so that they run in the same transaction. */
  readonly scope: { readonly transaction?: Transaction };
}

type TextParser = (text: string) => unknown;
type ParserOf = (oid: number, format: 'text') => TextParser;

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const pgParserOf = pg.types.getTypeParser as unknown as ParserOf;
const timestampOfPg = pgParserOf(TIMESTAMPTZ, 'text');
const PARSERS = new Map<number, TextParser>([
  [INT8, Number],
  [TIMESTAMPTZ, (text) => utcTimestamp(text) ?? timestampOfPg(text)],
]);
const parserOf: ParserOf = (oid, format) => PARSERS.get(oid) ?? pgParserOf(oid, format);

/**
 * pg as Sequelize loads it, except that BIGINT becomes a number, as epochs stay far below 2^53, and
 * that times are read faster. Nothing global changes.
 */
const dialectModule = Object.create(pg, {
  types: { value: Object.create(pg.types, { getTypeParser: { value: parserOf } }) as object },
}) as object;

/**
 * One PostgreSQL database with one pool, Sequelize's. Raw statements go straight to pg; models use
 * the pool as usual.
 */
export class Database implements Queryable {
  readonly scope = {};

  private constructor(readonly sequelize: Sequelize) {}

  /** Connects on first use. @param url `postgres://user:password@host:port/database` */
  static open(url: string, options: DatabaseOptions = {}): Database {
    const { poolSize = 10, statementTimeoutMs = 10_000, acquireTimeoutMs = 5_000 } = options;
    return new Database(
      new Sequelize(url, {
        dialect: 'postgres',
        dialectModule,
        logging: false,
        pool: { max: poolSize, min: 0, acquire: acquireTimeoutMs, idle: 30_000 },
        dialectOptions: {
          application_name: 'hatif',
          keepAlive: true,
          // Compiling a short statement takes longer than running it, and the planner's estimates
          // trigger it too often.
          options: '-c jit=off',
          connectionTimeoutMillis: acquireTimeoutMs,
          ...(statementTimeoutMs > 0 && {
            statement_timeout: statementTimeoutMs,
            query_timeout: statementTimeoutMs + 2_000,
          }),
        },
      }),
    );
  }

  readonly query: Query = <Row extends object>(sql: string, values?: readonly unknown[], options?: QueryOptions) =>
    this.#onConnection((client) => runOn<Row>(client, sql, values, options));

  /** Commits if `work` resolves; otherwise rolls back and rethrows its error. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#onConnection(async (client) => {
      const tx: Queryable = {
        scope: { transaction: this.#transactionOn(client) },
        query: async <Row extends object>(sql: string, values?: readonly unknown[], options?: QueryOptions) => {
          try {
            return await runOn<Row>(client, sql, values, options);
          } catch (error) {
            throw asDatabaseError(error);
          }
        },
      };
      await client.query('BEGIN');
      try {
        const answer = await work(tx);
        const { command } = await client.query('COMMIT');
        // The server does this if a statement failed and `work` carried on regardless.
        if (command === 'ROLLBACK') throw new Error('the transaction was rolled back: a statement in it had failed');
        return answer;
      } catch (error) {
        // A lost connection is closed below, which also rolls back.
        const known = asDatabaseError(error);
        if (!(known instanceof DatabaseUnavailable)) await client.query('ROLLBACK');
        throw known;
      }
    });
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    await this.sequelize.close();
  }

  async #onConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { connectionManager } = this.sequelize;
    let client: pg.Client;
    try {
      client = (await connectionManager.getConnection({ type: 'write' })) as pg.Client;
    } catch (error) {
      throw asDatabaseError(error);
    }
    let lost = false;
    try {
      return await work(client);
    } catch (error) {
      const known = asDatabaseError(error);
      lost = known instanceof DatabaseUnavailable;
      throw known;
    } finally {
      // A connection in an unknown state is destroyed; it may still be busy with the statement.
      if (lost) void connectionManager.destroyConnection(client).catch(() => undefined);
      else connectionManager.releaseConnection(client);
    }
  }

  /** A Sequelize transaction on our own connection: Sequelize only reads the connection from it. */
  #transactionOn(client: pg.Client): Transaction {
    return Object.assign(new Transaction(this.sequelize, {}), { connection: client });
  }
}

const names = new Map<string, string>();

/** A name per statement text: pg refuses one name for two texts. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `hatif_${names.size + 1}`;
    names.set(sql, name);
  }
  return name;
}

async function runOn<Row extends object>(
  client: pg.Client,
  sql: string,
  values: readonly unknown[] | undefined,
  options: QueryOptions | undefined,
): Promise<Row[]> {
  const query: pg.QueryConfig = { text: sql };
  if (values !== undefined) query.values = [...values];
  if (options?.prepared) query.name = nameOf(sql);
  const result = await client.query<Row>(query);
  return result.rows;
}
