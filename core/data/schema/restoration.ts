import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Queryable } from '../database.js';
import { asDatabaseError } from '../errors.js';
import { dropSchema, lockSchema, migrateOn, unknownMigrations } from './migrate.js';
import { copyClient, quoted, type TableShape } from './snapshot.js';

/** Why a restore was refused. */
export type RestoreRefusal = 'running' | 'not_empty' | 'newer';

export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  constructor(readonly reason: RestoreRefusal) {
    super(`the database was not restored: ${reason}`);
  }
}

/** Application name of the platform's own connections; see Database. */
const PLATFORM = 'hatif';

/** Fills a database with the tables of a backup, in one transaction. */
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
   * Starts a restore under the lock that a starting platform waits for.
   * @param replace allows a database with data, which the commit replaces
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

  /** Creates the tables as of exactly these migrations. */
  async createTables(migrations: readonly string[]): Promise<void> {
    await this.#run(() => migrateOn(this.#tx, migrations));
  }

  /**
   * Writes rows in COPY's text format. User triggers are disabled, since the backup already
   * contains their effects. @returns the number of rows
   */
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
   * Clears all leases and starts a new epoch for every engine, which fences off previous owners;
   * the next owner recovers the live calls. Then applies migrations newer than the backup.
   * @returns the names of the applied migrations
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

  /** Commits the restore. */
  async commit(): Promise<void> {
    await this.#run(() => this.client.query('COMMIT'));
    // Without statistics the first queries would have poor plans.
    await this.client.query('ANALYZE').catch(() => undefined);
    await this.client.end();
  }

  /** Rolls back; the database stays unchanged. */
  async abort(): Promise<void> {
    // Closing the connection rolls its transaction back, whatever it is doing.
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
