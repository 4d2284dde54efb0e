import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { exists, numberIn, readJson, rotateLog, stringIn, tail, writeJson, writePrivate } from '../system/files.js';
import { withLock } from '../system/lock.js';
import { chooseLoopbackPort } from '../system/ports.js';
import { endProcess, processRef, signal, waitForExit, worksBelow } from '../system/process.js';
import type { ProcessRef } from '../system/process.js';
import { run, spawnDetached } from '../system/run.js';
import { untilReady } from '../system/until-ready.js';
import { EmbeddedError } from '../system/types.js';
import type { EmbeddedPart } from '../system/types.js';
import { findBinaries } from './binaries.js';
import { choosePlace, chownRecursively } from './place.js';
import type { PostgresPlace } from './place.js';

/** Crash recovery replays the WAL before the server is ready, which takes time on a slow disk. */
const READY_WITHIN_MS = 120_000;
const END_WITHIN_MS = 30_000;
const USER = 'hatif';
const DATABASE = 'hatif';

export interface PostgresPart extends EmbeddedPart {
  readonly name: 'postgres';
  readonly url: string;
}

interface Access {
  readonly port: number;
  readonly password: string;
}

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, or adopts one that already runs there. It listens on 127.0.0.1 only and
 * has no Unix socket. After a crash it recovers automatically.
 * @throws EmbeddedError if it cannot be set up or started; includes the end of its log
 */
export async function startPostgres(dataDir: string): Promise<PostgresPart> {
  const binaries = await findBinaries();
  return withLock(join(dataDir, 'postgres.lock'), async () =>
    startLocked(await choosePlace(dataDir, binaries), dataDir),
  );
}

async function startLocked(place: PostgresPlace, dataDir: string): Promise<PostgresPart> {
  const accessFile = join(place.home, 'access.json');
  const logFile = join(dataDir, 'postgres.log');
  const known = readAccess(accessFile);
  const pidFile = join(place.pgData, 'postmaster.pid');

  const running = runningPostmaster(place, pidFile);
  if (running && known) {
    const version = await untilReady(
      () => probe(known),
      () => processRef(running.pid)?.identity === running.identity,
      READY_WITHIN_MS,
    );
    if (version !== undefined) return partOf(running, version, known, true);
  }
  if (running) await endProcess(running, 'SIGINT', END_WITHIN_MS);

  const access = {
    port: await chooseLoopbackPort(known?.port),
    password: known?.password ?? randomBytes(24).toString('hex'),
  };
  writeJson(accessFile, access);
  if (place.home !== join(dataDir, 'postgres')) writePrivate(join(dataDir, 'postgres.place'), `${place.home}\n`);
  if (!(await exists(join(place.pgData, 'PG_VERSION')))) await initialize(place, access.password);
  // No server of this instance is running, so the pid in the file is dead or belongs to another program.
  await rm(pidFile, { force: true });
  await rotateLog(logFile);
  return start(access);

  async function start(at: Access): Promise<PostgresPart> {
    const deadline = performance.now() + READY_WITHIN_MS;
    // The children of a killed server keep its shared memory for a moment, and a new server refuses to start until they
    // have exited: retry if it ends at once.
    for (let tries = 0; tries < 20 && performance.now() < deadline; tries += 1) {
      const { pid, exited } = await spawnDetached(join(place.binaries.root, 'bin', 'postgres'), serverArgs(place, at), {
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
        cwd: place.pgData,
        logFile,
        ...place.server,
      });
      const ref = processRef(pid);
      let gone = ref === undefined;
      void exited.then(() => (gone = true));
      const version = await untilReady(
        () => probe(at),
        () => !gone,
        READY_WITHIN_MS,
      );
      if (version !== undefined && ref) {
        await ensureDatabase(at);
        return partOf(ref, version, at, false);
      }
      if (ref && !gone) await endProcess(ref, 'SIGINT', END_WITHIN_MS);
      await pause(250);
    }
    throw new EmbeddedError('postgres', `it did not become ready (see ${logFile}): ${tail(logFile)}`);
  }

  function partOf(ref: ProcessRef, version: string, at: Access, adopted: boolean): PostgresPart {
    return {
      name: 'postgres',
      version,
      pid: ref.pid,
      adopted,
      logFile,
      url: urlOf(at, DATABASE),
      stop: () => stopPostgres(ref),
    };
  }
}

/**
 * Fast shutdown: ends sessions, then flushes everything. After the limit an immediate shutdown, with recovery at the
 * next start.
 */
async function stopPostgres(ref: ProcessRef): Promise<void> {
  signal(ref, 'SIGINT');
  if (await waitForExit(ref, END_WITHIN_MS)) return;
  await endProcess(ref, 'SIGQUIT', 5_000);
}

function serverArgs(place: PostgresPlace, { port }: Access): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'off',
    log_destination: 'stderr',
    // Statements in a log would contain customers' phone numbers.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: 0,
    password_encryption: 'scram-sha-256',
  };
  return ['-D', place.pgData, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * Creates the cluster in a temporary directory and renames it when it is complete, so that an incomplete one is never
 * used.
 */
async function initialize(place: PostgresPlace, password: string): Promise<void> {
  const making = join(place.home, 'making');
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: 0o700 });
  const { uid, gid } = place.initdb;
  const passwordFile = join(making, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) {
    await chown(making, uid, gid);
    await chown(passwordFile, uid, gid);
  }
  const made = join(making, 'data');
  const { code, stderr, stdout } = await run(
    join(place.binaries.root, 'bin', 'initdb'),
    [
      `--pgdata=${made}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // PostgreSQL's builtin collation sorts alike on every machine, whatever locales it has.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ],
    { env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }, cwd: making, ...place.initdb },
  );
  if (code !== 0) throw new EmbeddedError('postgres', `initdb failed: ${(stderr || stdout).trim()}`);
  await rm(place.pgData, { recursive: true, force: true });
  await chownRecursively(made, place.server);
  await rename(made, place.pgData);
  await rm(making, { recursive: true, force: true });
}

/** Returns this cluster's postmaster, identified by its pid file and its working directory. */
function runningPostmaster(place: PostgresPlace, pidFile: string): ProcessRef | undefined {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && worksBelow(pid, place.pgData) ? processRef(pid) : undefined;
  } catch {
    return undefined;
  }
}

async function ensureDatabase(access: Access): Promise<void> {
  await withClient(access, 'postgres', async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
  });
}

/** Returns the server's version once it accepts our password and queries. */
function probe(access: Access): Promise<string | undefined> {
  return withClient(access, 'postgres', async (client) => {
    const result = await client.query<{ server_version: string }>('SHOW server_version');
    return result.rows[0]?.server_version;
  }).catch(() => undefined);
}

async function withClient<T>(access: Access, database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(access, database), connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function urlOf({ port, password }: Access, database: string): string {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
}

function readAccess(file: string): Access | undefined {
  const json = readJson(file);
  const port = numberIn(json, 'port');
  const password = stringIn(json, 'password');
  return port === undefined || password === undefined ? undefined : { port, password };
}
