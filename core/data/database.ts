import pg from 'pg';
import { Sequelize, type Transaction } from 'sequelize';

import { asDatabaseError, DatabaseUnavailable } from './errors.js';

export interface DatabaseOptions {
  /** Connections at most; 10 by default. */
  readonly poolSize?: number;
  /** The server ends a statement after this time, the client gives it up two seconds later; 10 s by default, 0 is never. */
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a connection before {@link DatabaseUnavailable}; 5 s by default. */
  readonly acquireTimeoutMs?: number;
}

export interface QueryOptions {
  /** Keep the plan on each connection. For hot statements of constant text only. */
  readonly prepared?: boolean;
}

/** The row type is the caller's word for what the statement selects: it cannot be inferred from anything. */
type Query = <Row extends object>(sql: string, values?: readonly unknown[], options?: QueryOptions) => Promise<Row[]>;

/**
 * Something that runs SQL: the database, or a transaction in it. Values are `$1`, `$2`…; a statement without values may hold
 * several statements. BIGINT comes back as a number, timestamptz as a Date, jsonb parsed.
 * @throws DatabaseUnavailable when the outcome is unknown or nothing was done, and repeating it is right; pg's DatabaseError
 *   for what the server refused.
 */
export interface Queryable {
  readonly query: Query;
  /** For Sequelize's own operations, so that they run in the same transaction. */
  readonly scope: { readonly transaction?: Transaction };
}

/** The part of Sequelize's pooled pg connection that is used here; `connection` is where a transaction keeps its own. */
type Client = pg.Client & object;
type WithConnection = Transaction & { readonly connection: Client };

type TextParser = (text: string) => unknown;
type ParserOf = (oid: number, format: 'text') => TextParser;

const INT8 = 20;
const parserOf = pg.types.getTypeParser as unknown as ParserOf;
const bigintParser: ParserOf = (oid, format) => (oid === INT8 ? Number : parserOf(oid, format));

/** pg as Sequelize loads it, except that BIGINT becomes a number: epochs stay far below 2^53. Nothing global is changed. */
const dialectModule = Object.create(pg, {
  types: { value: Object.create(pg.types, { getTypeParser: { value: bigintParser } }) as object },
}) as object;

/** One PostgreSQL, one pool: Sequelize's. Statements go straight to pg on it; models use it as ever. */
export class Database implements Queryable {
  readonly scope = {};

  private constructor(readonly sequelize: Sequelize) {}

  /** No connection is made until the first use. @param url `postgres://user:password@host:port/database` */
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
          connectionTimeoutMillis: acquireTimeoutMs,
          ...(statementTimeoutMs > 0 && {
            statement_timeout: statementTimeoutMs,
            query_timeout: statementTimeoutMs + 2_000,
          }),
        },
      }),
    );
  }

  readonly query: Query = async <Row extends object>(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Row[]> => {
    const client = await this.#acquire();
    let lost = false;
    try {
      return await runOn<Row>(client, sql, values, options);
    } catch (error) {
      const known = asDatabaseError(error);
      lost = known instanceof DatabaseUnavailable;
      throw known;
    } finally {
      // A connection of which we do not know how it is goes; it may still be busy with the statement.
      if (lost) void this.sequelize.connectionManager.destroyConnection(client).catch(() => undefined);
      else this.sequelize.connectionManager.releaseConnection(client);
    }
  };

  /** Commits when `work` resolves, rolls back and rethrows when it rejects. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.sequelize.transaction(async (transaction) => {
        const { connection } = transaction as WithConnection;
        return work({
          scope: { transaction },
          query: async <Row extends object>(sql: string, values?: readonly unknown[], options?: QueryOptions) => {
            try {
              return await runOn<Row>(connection, sql, values, options);
            } catch (error) {
              throw asDatabaseError(error);
            }
          },
        });
      });
    } catch (error) {
      throw asDatabaseError(error);
    }
  }

  /** Waits for what is running, then closes every connection. */
  async close(): Promise<void> {
    await this.sequelize.close();
  }

  async #acquire(): Promise<Client> {
    try {
      return (await this.sequelize.connectionManager.getConnection({ type: 'write' })) as Client;
    } catch (error) {
      throw asDatabaseError(error);
    }
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
  client: Client,
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
