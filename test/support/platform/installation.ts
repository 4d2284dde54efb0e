import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/program.js';
import { readSettings } from '../../../config/read-settings.js';
import { Database } from '../../../core/data/database.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import { openCommandLine } from '../../../main/command/command-line.js';
import { openCipher } from '../../../main/install/secret.js';
import type { TestDatabase } from './database.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly progress: readonly number[];
}

/** A database and a data folder, as the source or the target of a backup. */
export class Installation {
  private constructor(
    readonly database: TestDatabase,
    readonly dataDir: string,
  ) {}

  static async with(database: Promise<TestDatabase>): Promise<Installation> {
    return new Installation(await database, await mkdtemp(join(tmpdir(), 'hatif-backup-')));
  }

  get db(): Database {
    return this.database.db;
  }

  /** The installation's cipher; its secret is created if there is none. */
  cipher(): Promise<Cipher> {
    return openCipher(readSettings({ HATIF_DATA_DIR: this.dataDir }));
  }

  /** Runs the command in this process. `restore` refuses a database while the test has a connection to it. */
  async hatif(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    onProgress?: () => Promise<void>,
  ): Promise<Ran> {
    let [stdout, stderr] = ['', ''];
    const progress: number[] = [];
    const meanwhile: Promise<void>[] = [];
    const settings = readSettings({ DATABASE_URL: this.database.url, HATIF_DATA_DIR: this.dataDir, ...env });
    const code = await runCli(args, {
      ...openCommandLine(settings, new AbortController().signal),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      progress: (_, fraction = 0) => {
        progress.push(fraction);
        if (onProgress) meanwhile.push(onProgress());
      },
    });
    await Promise.all(meanwhile);
    return { code, stdout, stderr, progress };
  }

  /** Every row of every table, as text. */
  async rows(): Promise<Record<string, string[]>> {
    return withDatabase(this.database.url, async (db) => {
      const tables = await db.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
      );
      const all: Record<string, string[]> = {};
      for (const { name } of tables) {
        const found = await db.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} AS t ORDER BY 1`);
        all[name] = found.map(({ row }) => row);
      }
      return all;
    });
  }

  /** Every file of the data folder with its content. */
  async files(): Promise<Record<string, string>> {
    const found = await readdir(this.dataDir, { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      await Promise.all(
        files.sort().map(async (file) => [file.slice(this.dataDir.length), await readFile(file, 'hex')]),
      ),
    ) as Record<string, string>;
  }

  async close(): Promise<void> {
    await this.database.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

export async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = Database.open(url, { poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
