import { randomBytes } from 'node:crypto';
import { Database } from '../../../core/data/database.js';

/** Larger tables are truncated, which costs more for a table, but not more for its rows. */
const LARGE_BYTES = 1_000_000;

/** Everything that a test may have changed in the definition of the tables, as one text. */
const DEFINITION = `
  SELECT md5(string_agg(line, ',' ORDER BY line)) AS definition FROM (
    SELECT concat_ws('|', 'column', attrelid, attname, atttypid, attnotnull, atthasdef, attisdropped) AS line
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND attnum > 0
    UNION ALL SELECT concat_ws('|', 'table', oid, relname, relkind) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws('|', 'constraint', oid, conname, convalidated) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws('|', 'trigger', oid, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT concat_ws('|', 'function', oid, proname, md5(prosrc)) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws('|', 'extension', extname) FROM pg_extension
    UNION ALL SELECT concat_ws('|', 'namespace', nspname) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'
  ) AS lines`;

/** Empties every table but that of the migrations, and starts the sequences again. */
const EMPTY = `
  DO $$
  DECLARE item record;
  BEGIN
    SET LOCAL session_replication_role = replica;
    SET LOCAL lock_timeout = '5s';
    FOR item IN
      SELECT oid::regclass AS name, pg_relation_size(oid) AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations'
        AND pg_relation_size(oid) > 0
    LOOP
      IF item.bytes > ${LARGE_BYTES} THEN EXECUTE format('TRUNCATE %s CASCADE', item.name);
      ELSE EXECUTE format('DELETE FROM %s', item.name);
      END IF;
    END LOOP;
    FOR item IN
      SELECT format('%I.%I', schemaname, sequencename)::regclass AS name, start_value FROM pg_sequences
      WHERE last_value IS NOT NULL
    LOOP
      PERFORM setval(item.name, item.start_value, false);
    END LOOP;
  END $$`;

/**
 * The databases of tests that have ended, emptied for later tests of the same process. To empty one costs a small part
 * of the time of another copy of the template.
 */
export class UsedDatabases {
  readonly #ready: string[] = [];
  #definition: string | null = null;
  #work: Promise<void> = Promise.resolve();

  take(): string | undefined {
    return this.#ready.pop();
  }

  /** Remembers the definition of the tables, as they are in a new database. */
  async learn(url: string): Promise<void> {
    this.#definition ??= await onDatabase(url, definitionOf);
  }

  /**
   * Empties the database in the background, and gives it another name, so that background work of the test
   * does not find it. Drops it if the test changed the definition of a table.
   * @param adminUrl another database of the same server
   */
  put(adminUrl: string, url: string): void {
    this.#work = this.#work.then(() => this.#keep(adminUrl, url)).catch(() => undefined);
  }

  /** Resolves when nothing is left to do in the background, and forgets the databases. */
  async end(): Promise<void> {
    await this.#work;
    this.#ready.length = 0;
  }

  async #keep(adminUrl: string, url: string): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    const isEmpty = await onDatabase(url, async (db) => {
      await db.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      if ((await definitionOf(db)) !== this.#definition) return false;
      await db.query(EMPTY);
      return true;
    }).catch(() => false);
    await onDatabase(adminUrl, async (db) => {
      if (!isEmpty) {
        await db.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        return;
      }
      const next = `hatif_test_${randomBytes(6).toString('hex')}`;
      await db.query(`ALTER DATABASE ${name} RENAME TO ${next}`);
      this.#ready.push(next);
    });
  }
}

async function definitionOf(db: Database): Promise<string> {
  const [row] = await db.query<{ definition: string }>(DEFINITION);
  return row?.definition ?? '';
}

/** Opens a database for this work only. */
export async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = Database.open(url, { poolSize: 2, statementTimeoutMs: 0 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
