import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { resolveTool, type AsteriskPart } from '../../../adapters/embedded/index.js';
import { readSettings } from '../../../config/read-settings.js';
import type { Settings } from '../../../config/settings.js';
import type { Parts } from '../../../main/install/parts.js';
import { AriProxy } from '../../conformance/rigs/ari-proxy.js';
import { sharedAsterisk } from './asterisk.js';
import { testDatabase } from './database.js';
import { freeSipPort } from '../phones/index.js';
import { testRedis } from './redis.js';
import { TcpProxy } from '../peers/tcp-proxy.js';

export interface TestPlatformOptions {
  /** Override the settings of tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The platform reaches its parts through proxies (cables) that tests can cut. */
  readonly cables?: boolean;
  /** An Asterisk of its own; by default the one that the files of a process share. */
  readonly asterisk?: Pick<AsteriskPart, 'ari' | 'sip' | 'celFile' | 'codecs'>;
}

export interface Cables {
  readonly ari: AriProxy;
  readonly database: TcpProxy;
  readonly redis: TcpProxy;
}

/** The environment of a test's platform: real parts, its own database and its own data folder. */
export interface Ground {
  readonly settings: Settings;
  readonly parts: Parts;
  readonly carrierPort: number;
  readonly cables: Cables | null;
  /** Removes the database and the data folder. */
  close(): Promise<void>;
}

/** Not the database that other tests use. */
const REDIS_DATABASE = 7;

export async function openGround(options: TestPlatformOptions): Promise<Ground> {
  const [database, redis, asterisk, carrierPort, dataDir] = await Promise.all([
    testDatabase(),
    testRedis(),
    options.asterisk ?? sharedAsterisk(),
    freeSipPort(),
    mkdtemp(join(tmpdir(), 'hatif-platform-')),
  ]);
  const redisUrl = await emptyRedis(redis.url);
  const cables = options.cables === true ? await openCables(asterisk.ari.url, database.url, redisUrl) : null;
  const databaseUrl = cables ? through(database.url, cables.database.port) : database.url;
  const reachedRedis = cables ? through(redisUrl, cables.redis.port) : redisUrl;
  const ari = { ...asterisk.ari, ...(cables && { url: `${cables.ari.url}/ari` }) };
  const settings = readSettings({
    HATIF_DATA_DIR: dataDir,
    LOG_TO: 'file',
    LOG_LEVEL: 'debug',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: reachedRedis,
    ASTERISK_ARI_URL: ari.url,
    ASTERISK_ARI_USER: ari.user,
    ASTERISK_ARI_PASSWORD: ari.password,
    SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    // A scripted phone in place of the carrier expects no OPTIONS.
    TRUNK_PROBE_SECONDS: '3600',
    // Tests call the same numbers again and again.
    HATIF_FLAGS_OFF: 'call_velocity',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    PLAY_URL_ALLOW_LOOPBACK: 'true',
    RATE_LIMIT_LIVE_PER_MINUTE: '100000',
    RATE_LIMIT_SANDBOX_PER_MINUTE: '100000',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
    ...options.settings,
  });
  const cacheDir = process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
  return {
    settings,
    parts: {
      databaseUrl,
      redisUrl: reachedRedis,
      ari,
      codecs: asterisk.codecs,
      sip: asterisk.sip,
      engineSip: asterisk.sip,
      turn: null,
      cel: { file: asterisk.celFile, isEmbedded: true },
      speech: await resolveTool('espeak-ng', { cacheDir }),
      embedded: { postgres: undefined, redis: undefined, asterisk: undefined, speech: undefined, turn: undefined },
    },
    carrierPort,
    cables,
    async close() {
      await Promise.all([cables?.ari.close(), cables?.database.close(), cables?.redis.close()]);
      await database.close();
      await redis.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function emptyRedis(url: string): Promise<string> {
  const own = new URL(url);
  own.pathname = `/${REDIS_DATABASE}`;
  const redis = new Redis(own.href);
  await redis.flushdb();
  redis.disconnect();
  return own.href;
}

async function openCables(ari: string, database: string, redis: string): Promise<Cables> {
  const cable = ({ hostname, port }: URL): Promise<TcpProxy> => TcpProxy.start(hostname, Number(port));
  return {
    ari: await AriProxy.start(ari),
    database: await cable(new URL(database)),
    redis: await cable(new URL(redis)),
  };
}

function through(url: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}
