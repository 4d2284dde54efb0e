import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmbedded, stopEmbedded } from '../../../adapters/embedded/index.js';

import { definitionOf, eventDataSchema, isEventType } from '../../../core/model/events/index.js';
import { Database, type DatabaseOptions, type Queryable } from '../../../core/data/database.js';
import { migrateUp } from '../../../core/data/schema/migrate.js';
import { noteEvents } from '../judges/error-coverage.js';
import { onDatabase, UsedDatabases } from './used-databases.js';

export interface TestDatabase {
  readonly url: string;
  readonly db: Database;
  /** Closes the handle, and gives the database up; call it in `after`. */
  close(): Promise<void>;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** An arbitrary number that no other code locks. */
const TEMPLATE_LOCK = 4_871_002_967;

let used = new UsedDatabases();
let started: { readonly server: Promise<Server>; users: number } | null = null;

/**
 * A new database with all tables, for one test file. Its server is that of `HATIF_TEST_DATABASE_URL` (a URL whose user
 * may create databases), or an embedded one that runs as long as a database of it is open.
 */
export async function testDatabase(options?: DatabaseOptions): Promise<TestDatabase> {
  await holdServer();
  const free = used.take();
  if (free !== undefined) return opened(free, options, true);
  const name = await create(templateReady);
  await used.learn(withDatabase(await adminUrl(), name));
  return opened(name, options, true);
}

/** A database without tables, for tests of the migrations. */
export async function emptyDatabase(options?: DatabaseOptions): Promise<TestDatabase> {
  await holdServer();
  return opened(await create(() => Promise.resolve('template0')), options, false);
}

/** Makes a database. @returns its name */
async function create(templateOf: (admin: Database) => Promise<string>): Promise<string> {
  const name = `hatif_test_${randomBytes(6).toString('hex')}`;
  await withAdmin(async (admin) => {
    // Copies the files: the default, by the write-ahead log, is three times the work.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await templateOf(admin)} STRATEGY FILE_COPY`);
  });
  return name;
}

/** The name of the template, which has all tables. */
async function templateReady(admin: Database): Promise<string> {
  const template = await templateName();
  await withTemplateLock(admin, async () => {
    const found = await admin.query(`SELECT 1 FROM pg_database WHERE datname = $1 AND NOT datallowconn`, [template]);
    if (found.length > 0) return;
    await admin.query(`DROP DATABASE IF EXISTS ${template}`);
    await admin.query(`CREATE DATABASE ${template}`);
    await migrateUp(withDatabase(await adminUrl(), template));
    // A template must have no connections; this also marks it as finished.
    await admin.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`);
  });
  return template;
}

/** @param isReusable whether a later test may have the database, emptied */
async function opened(name: string, options: DatabaseOptions | undefined, isReusable: boolean): Promise<TestDatabase> {
  const url = withDatabase(await adminUrl(), name);
  const db = Database.open(url, options);
  return {
    url,
    db,
    async close() {
      const wrong = await wrongEvents(db).catch(() => []);
      noteEvents(await eventTypes(db).catch(() => []));
      await db.close();
      if (isReusable) used.put(await adminUrl(), url);
      else await withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
      await releaseServer();
      if (wrong.length > 0) throw new Error(`events that do not match their schema:\n${wrong.join('\n')}`);
    },
  };
}

async function withAdmin<T>(work: (admin: Database) => Promise<T>): Promise<T> {
  return onDatabase(await adminUrl(), work);
}

/**
 * Events of this database that do not match their schemas. An event that a test inserted directly has neither a call
 * nor any member of its own; it is left out.
 */
async function wrongEvents(db: Database): Promise<string[]> {
  const rows = await db.query<{ type: string; data: Record<string, unknown> }>(
    'SELECT type, data FROM events ORDER BY created_at DESC LIMIT 500',
  );
  return rows.flatMap(({ type, data }) => {
    if (!isEventType(type)) return [`${type} is not an event type`];
    const own = type.startsWith('call.') ? ['legs'] : Object.keys(definitionOf(type).own);
    if (own.length > 0 && !own.some((member) => member in data)) return [];
    const { error } = eventDataSchema(type).safeParse(data);
    return error
      ? [`${type}: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`]
      : [];
  });
}

async function eventTypes(db: Database): Promise<string[]> {
  const rows = await db.query<{ type: string }>('SELECT DISTINCT type FROM events');
  return rows.map(({ type }) => type);
}

/** The template's name, by a hash of the migrations: processes with the same migrations share a template. */
async function templateName(): Promise<string> {
  const folder = new URL('../../../core/data/migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(new URL(file, folder)));
  return `hatif_template_${hash.digest('hex').slice(0, 12)}`;
}

async function withTemplateLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.transaction(async (tx: Queryable) => {
    await tx.query(`SELECT pg_advisory_xact_lock($1)`, [TEMPLATE_LOCK]);
    await work();
  });
}

async function adminUrl(): Promise<string> {
  const given = process.env.HATIF_TEST_DATABASE_URL;
  if (given) return given;
  if (!started) throw new Error('no server is started');
  return (await started.server).url;
}

/** Starts a PostgreSQL in a temporary folder, which `stop` removes. */
async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hatif-test-'));
  const parts = await startEmbedded(
    { dataDir, cacheDir: join(dataDir, 'cache') },
    { postgres: true, redis: false, asterisk: false, speech: false },
  );
  if (!parts.postgres) throw new Error('PostgreSQL was not started');
  return {
    url: parts.postgres.url,
    async stop() {
      await stopEmbedded(parts);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function holdServer(): Promise<void> {
  if (process.env.HATIF_TEST_DATABASE_URL) return;
  started ??= { server: startServer(), users: 0 };
  started.users += 1;
  await started.server;
}

async function releaseServer(): Promise<void> {
  if (!started || --started.users > 0) return;
  const [{ server }, ofServer] = [started, used];
  [started, used] = [null, new UsedDatabases()];
  await ofServer.end();
  await (await server).stop();
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
