import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Queryable } from '../database.js';
import { asDatabaseError } from '../errors.js';
import { dropSchema, lockSchema, migrateOn, unknownMigrations } from './migrate.js';
import { copyClient, quoted, type TableShape } from './snapshot.js';

/** Why nothing was restored. */
export type RestoreRefusal = 'running' | 'not_empty' | 'newer';

export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  constructor(readonly why: RestoreRefusal) {
    super(`the database is not restored into: ${why}`);
  }
}

/** Connections of the platform itself; see Database. */
const PLATFORM = 'hatif';

/** Fills a database with the tables of a backup. Everything happens in one transaction, or not at all. */
export class Restoration {
  #tx: Queryable;

  private constructor(private readonly client: pg.Client) {
    this.#tx = {
      scope: {},
      query: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
        (await client.query<Row>(sql, values === undefined ? undefined : [...values])).rows,
    };
  }

  /**
   * Begin, behind the lock that a starting platform waits for.
   * @param replace also where there is data: it is gone when this is committed
   * @throws RestoreRefused; DatabaseUnavailable
   */
  static async begin(url: string, replace: boolean): Promise<Restoration> {
    const client = await copyClient(url, 'hatif-restore');
    const restoration = new Restoration(client);
    try {
      await client.query('BEGIN');
      await restoration.#prepare(replace);
      return restoration;
    } catch (error) {
      await restoration.abort();
      throw asDatabaseError(error);
    }
  }

  /** Make the tables as they were when exactly these migrations had been applied. */
  async makeTables(migrations: readonly string[]): Promise<void> {
    await this.#run(() => migrateOn(this.#tx, migrations));
  }

  /** Write rows in COPY's text format. What triggers make of them is in the backup already. @returns how many they were */
  async load({ name, columns }: TableShape, pieces: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#run(async () => {
      await this.client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
      const stream = this.client.query(copyFrom(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`));
      const done = finished(stream);
      done.catch(() => undefined);
      for await (const piece of pieces) {
        if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), done]);
      }
      stream.end();
      await done;
      await this.client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
      return stream.rowCount;
    });
  }

  /**
   * Nobody owns an engine, and whoever still believes to is fenced off; calls that were live are looked for by the next owner. Then the
   * migrations that came since.
   * @returns the names of those
   */
  async finish(): Promise<string[]> {
    return this.#run(async () => {
      await this.#tx.query(
        `UPDATE engines SET owner = NULL, lease_expires_at = NULL, status = 'unreachable', boot_id = NULL, epoch = epoch + 1`,
      );
      await this.#tx.query('UPDATE webhook_deliveries SET locked_until = NULL WHERE locked_until IS NOT NULL');
      return migrateOn(this.#tx);
    });
  }

  /** From here on it is what the database holds. */
  async commit(): Promise<void> {
    await this.#run(() => this.client.query('COMMIT'));
    // Without it the first questions would be answered by guesses.
    await this.client.query('ANALYZE').catch(() => undefined);
    await this.client.end();
  }

  /** The database stays as it was. */
  async abort(): Promise<void> {
    // A connection that ends takes its transaction along, whatever it was just doing.
    await this.client.end().catch(() => undefined);
  }

  async #prepare(replace: boolean): Promise<void> {
    const tx = this.#tx;
    await lockSchema(tx);
    const [others] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`,
      [PLATFORM],
    );
    if ((others?.count ?? 0) > 0) throw new RestoreRefused('running');
    const [tables] = await tx.query<{ found: boolean }>(`SELECT to_regclass('organizations') IS NOT NULL AS found`);
    if (tables?.found === true && !replace) {
      const used = await tx.query('SELECT 1 FROM organizations LIMIT 1');
      if (used.length > 0) throw new RestoreRefused('not_empty');
    }
    const applied = await tx.query<{ name: string }>('SELECT name FROM migrations');
    if (unknownMigrations(applied.map(({ name }) => name)).length > 0) throw new RestoreRefused('newer');
    await dropSchema(tx);
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asDatabaseError(error);
    }
  }
}
