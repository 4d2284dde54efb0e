import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { Redis } from 'ioredis';

import { debianConfig } from '../../adapters/embedded/asterisk/debian-config.js';
import { startEmbedded, stopEmbedded, type EmbeddedParts } from '../../adapters/embedded/index.js';
import { createLogger } from '../../api/http/logging.js';
import type { Settings } from '../../config/settings.js';
import { isMissingTable } from '../../core/data/errors.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import { commandsFor, type Commands } from '../../core/model/commands.js';
import { systemClock } from '../../core/ports/clock.js';
import { MemoryRateLimiter } from '../../core/services/access/rate-limit.js';
import { CdrExport } from '../../core/services/cdr/export.js';
import { OperatorCdr } from '../../core/services/cdr/operator-export.js';
import { CreateProjects } from '../../core/services/projects/create.js';
import { Features } from '../../core/services/administration/features.js';
import { simulateFlow } from '../../ivr/flow/machine/simulate.js';
import { asteriskOptions } from '../install/asterisk-options.js';
import { openAdministration } from '../wiring/administration.js';
import { openBilling } from '../wiring/billing.js';
import { backup } from '../install/backup/backup.js';
import { restore } from '../install/backup/restore.js';
import type { Bootstrap } from '../install/bootstrap.js';
import { catchMessages } from './catch-messages.js';
import { reportCertificates, writeCertificates } from './certificates.js';
import { writeDrachtioConfig } from './drachtio-config.js';
import { writeFreeswitchConfig } from './freeswitch-config.js';
import { openDeletions } from './deletions.js';
import { openCommandOperating, type CommandOperating } from './operating.js';
import { environmentFlags, newOrganizationFlags } from '../wiring/flags.js';
import { openInvoicing } from '../wiring/invoices.js';
import { handOver } from '../engines/handover.js';
import { openPaying } from '../wiring/payments.js';
import { openEndOrganizations } from '../wiring/privacy/requests.js';
import { bootstrapFile, cacheFolder } from '../install/places.js';
import { progressTo } from '../install/screen.js';
import { openCipher } from '../install/secret.js';
import { openManagement } from '../wiring/management.js';
import { openStorages } from '../wiring/storages.js';
import { openStores, type Stores } from '../wiring/stores.js';
import { VERSION } from '../install/version.js';
import { ApiClient } from '../../cli/common/api-client.js';
import { readAuthorities } from '../../cli/common/installation.js';
import type {
  ApiChoice,
  AsteriskConfigRequest,
  BackupSummary,
  CliContext,
  CommandProgress,
  Installation,
  Platform,
  RestoreSummary,
} from '../../cli/common/context.js';
import { CliError, EXIT } from '../../cli/common/failure.js';
import type { Output } from '../../cli/common/output.js';
import { withRemote } from '../../cli/remote/installation.js';
import { Transport } from '../../cli/remote/transport.js';

/** Time limit for the processes to finish requests and to write everything. */
const HANDOVER_MS = 60_000;
const NOT_SET_UP = ({ start }: Commands): string => `The first start sets everything up: ${start()}`;

/** Implements the context of the `hatif` commands. */
export function openCommandLine(settings: Settings, interrupted: AbortSignal): CliContext {
  return {
    version: VERSION,
    commands: commandsFor(settings.HATIF_COMMAND_PREFIX),
    withPlatform: (work) => withPlatform(settings, work),
    withInstallation: async ({ url, caFile }, work) =>
      withRemote({ url, ca: await authorities(caFile), token: settings.HATIF_ADMIN_TOKEN }, work),
    api: (choice) => api(settings, choice),
    writeAsteriskConfig: (request) => writeAsteriskConfig(settings, request),
    writeFreeswitchConfig: async (request) => writeFreeswitchConfig(settings, await openCipher(settings), request),
    writeDrachtioConfig: (request) => writeDrachtioConfig(settings, request),
    certificates: () => withDatabase(settings, ({ db }) => reportCertificates(settings, db, systemClock)),
    retryCertificates: () => withDatabase(settings, ({ db }) => new AcmeCertificates(db).retryNow(systemClock.now())),
    writeCertificates: (folder, mode) => writeCertificates(settings, folder, mode),
    catchMessages: (request) => catchMessages(settings, request),
    backup: (file, overwrite, onProgress) => backupTo(settings, file, overwrite, onProgress),
    restore: (file, replace, onProgress) => restoreFrom(settings, file, replace, onProgress),
    handover: () => handOverHere(settings),
    simulateFlow,
    progress: progressTo(process.stderr),
    output,
    readSecret,
    interrupted,
  };
}

async function withPlatform<T>(settings: Settings, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { parts, databaseUrl, isRunning } = await openDatabase(settings);
  const redis = await openRedis(settings, isRunning);
  const stores = openStores(databaseUrl, 2);
  let operating: CommandOperating | null = null;
  try {
    const projects = await stores.projects.list().catch((error: unknown) => {
      throw isMissingTable(error) ? new CliError('The database is empty.', EXIT.unreachable, NOT_SET_UP) : error;
    });
    // The commands report errors themselves.
    const log = createLogger({ level: 'silent' });
    const cipher = await openCipher(settings);
    const storages = openStorages(settings);
    const management = openManagement(stores, storages, cipher, systemClock, log, redis, settings);
    operating = openCommandOperating({ stores, redis, management, clock: systemClock, log });
    return await work({
      projects,
      registrations: stores.registrations,
      callflows: stores.callflows,
      createProjects: new CreateProjects({
        ...stores,
        flags: newOrganizationFlags(settings),
        cipher,
        clock: systemClock,
      }),
      features: new Features({ organizations: stores.organizations, flags: environmentFlags(settings) }),
      billing: openBilling(stores, systemClock, () => undefined),
      invoicing: openInvoicing(stores, settings, systemClock, () => undefined),
      cdr: new OperatorCdr({ db: stores.db, exports: new CdrExport(stores.cdr), clock: systemClock }),
      paying: openPaying({ stores, settings, clock: systemClock, log, wake: () => undefined }),
      deletions: openDeletions(
        openEndOrganizations({ stores, storages, clock: systemClock }, () => management.announce()),
      ),
      ...management,
      ...openAdministration({
        db: stores.db,
        cipher,
        rateLimiter: new MemoryRateLimiter(systemClock),
        clock: systemClock,
      }),
      ...operating.services,
    });
  } finally {
    operating?.close();
    await stores.db.close();
    redis?.disconnect();
    // A database that was started only for this command is stopped.
    if (!isRunning) await stopEmbedded(parts);
  }
}

async function handOverHere(settings: Settings): Promise<number> {
  return withDatabase(settings, async ({ engines }) => (await handOver(engines, HANDOVER_MS)).length);
}

async function withDatabase<T>(settings: Settings, work: (stores: Stores) => Promise<T>): Promise<T> {
  const { parts, databaseUrl, isRunning } = await openDatabase(settings);
  const stores = openStores(databaseUrl, 2);
  try {
    return await work(stores);
  } finally {
    await stores.db.close();
    if (!isRunning) await stopEmbedded(parts);
  }
}

async function backupTo(
  settings: Settings,
  file: string,
  overwrite: boolean,
  onProgress: CommandProgress,
): Promise<BackupSummary> {
  const { parts, databaseUrl, isRunning } = await openDatabase(settings);
  try {
    return await backup({ settings, databaseUrl, cipher: await openCipher(settings), file, overwrite, onProgress });
  } finally {
    if (!isRunning) await stopEmbedded(parts);
  }
}

async function restoreFrom(
  settings: Settings,
  file: string,
  replace: boolean,
  onProgress: CommandProgress,
): Promise<RestoreSummary> {
  const { DATABASE_URL: own } = settings;
  // Unlike the other commands, a restore works before anything is set up.
  const parts: Partial<EmbeddedParts> =
    own === undefined ? await startEmbedded(embedded(settings), only('postgres')) : {};
  const databaseUrl = own ?? parts.postgres?.url;
  if (databaseUrl === undefined) throw new CliError('PostgreSQL was not started.', EXIT.unreachable);
  try {
    return await restore({ settings, databaseUrl, file, replace, onProgress });
  } finally {
    if (parts.postgres?.adopted === false) await stopEmbedded(parts);
  }
}

async function openDatabase(
  settings: Settings,
): Promise<{ parts: Partial<EmbeddedParts>; databaseUrl: string; isRunning: boolean }> {
  if (settings.DATABASE_URL !== undefined) return { parts: {}, databaseUrl: settings.DATABASE_URL, isRunning: true };
  if (!existsSync(bootstrapFile(settings))) {
    throw new CliError(
      `Nothing is set up in ${settings.HATIF_DATA_DIR} yet.`,
      EXIT.unreachable,
      (commands) => `${NOT_SET_UP(commands)}. If it is set up elsewhere, set HATIF_DATA_DIR or DATABASE_URL.`,
    );
  }
  const parts = await startEmbedded(embedded(settings), only('postgres'));
  if (!parts.postgres) throw new CliError('PostgreSQL was not started.', EXIT.unreachable);
  return { parts, databaseUrl: parts.postgres.url, isRunning: parts.postgres.adopted };
}

/** Announces changes to the running platform; without Redis it discovers them a few seconds later. */
async function openRedis(settings: Settings, isRunning: boolean): Promise<Redis | null> {
  const url = settings.REDIS_URL ?? (await embeddedRedisUrl(settings, isRunning));
  if (url === null) return null;
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  return redis;
}

async function embeddedRedisUrl(settings: Settings, isRunning: boolean): Promise<string | null> {
  if (settings.DATABASE_URL !== undefined || !isRunning) return null;
  const parts = await startEmbedded(embedded(settings), only('redis'));
  return parts.redis?.url ?? null;
}

function embedded(settings: Settings): { dataDir: string; cacheDir: string } {
  return { dataDir: settings.HATIF_DATA_DIR, cacheDir: cacheFolder(settings) };
}

function only(part: 'postgres' | 'redis'): Parameters<typeof startEmbedded>[1] {
  return { postgres: part === 'postgres', redis: part === 'redis', asterisk: false, speech: false };
}

async function api(settings: Settings, choice: ApiChoice): Promise<ApiClient> {
  const key = choice.apiKey ?? settings.HATIF_API_KEY;
  if (choice.installation !== undefined) return remoteApi(choice.installation, key);
  const baseUrl = choice.baseUrl ?? settings.HATIF_BASE_URL;
  if (key !== undefined && baseUrl !== undefined) return new ApiClient(baseUrl, key);
  const bootstrap = await readBootstrap(settings);
  return new ApiClient(baseUrl ?? bootstrap.base_url, key ?? bootstrap.live_key);
}

/** The key of the bootstrap file is one of this installation. */
async function remoteApi({ url, caFile }: Installation, key: string | undefined): Promise<ApiClient> {
  if (key === undefined) {
    throw new CliError(
      'There is no API key: this command uses the API of a project, and --url needs a key of the other installation.',
      EXIT.usage,
      ({ hatif }) => `Give --key, or set HATIF_API_KEY. A new key: ${hatif(`keys create --name <name> --url ${url}`)}`,
    );
  }
  return new ApiClient(url, key, new Transport(url, await authorities(caFile)).fetch);
}

async function authorities(file: string | null): Promise<string | null> {
  return file === null ? null : readAuthorities(file);
}

async function readBootstrap(settings: Settings): Promise<Bootstrap> {
  const file = bootstrapFile(settings);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Bootstrap;
  } catch {
    throw new CliError(
      `There is no API key: ${file} cannot be read.`,
      EXIT.unreachable,
      (commands) => `${NOT_SET_UP(commands)}. Or set HATIF_BASE_URL and HATIF_API_KEY.`,
    );
  }
}

async function writeAsteriskConfig(settings: Settings, request: AsteriskConfigRequest): Promise<readonly string[]> {
  if (settings.ASTERISK_ARI_PASSWORD === undefined) {
    throw new CliError('ASTERISK_ARI_PASSWORD is not set: ARI needs a password.', EXIT.usage);
  }
  const files = await debianConfig(asteriskOptions(settings), {
    bind: request.ariBind,
    port: request.ariPort,
    user: settings.ASTERISK_ARI_USER,
    password: settings.ASTERISK_ARI_PASSWORD,
  });
  await mkdir(request.folder, { recursive: true });
  for (const [name, content] of files) {
    const path = join(request.folder, name);
    await writeFile(path, content, { mode: request.mode });
    await chmod(path, request.mode);
  }
  return [...files.keys()];
}

/** Reads a line without echo from a terminal, or all of standard input. */
async function readSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  process.stderr.write(prompt);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

function output(json: boolean): Output {
  return {
    json,
    out: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  };
}
