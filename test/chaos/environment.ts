import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Database } from '../../core/data/database.js';
import { testDatabase } from '../support/platform/database.js';
import { freeSipPort } from '../support/phones/ports.js';
import { testRedis } from '../support/platform/redis.js';
import { ChaosAsterisk } from './asterisk.js';
import { InterceptingProxy } from './intercepting-proxy.js';
import type { KillSwitch } from './kill-points.js';
import { serveSound } from './phones/sound.js';

/** The services that outlive the application: PostgreSQL, Redis and Asterisk, with the proxies in front of them. */
export interface Environment {
  readonly db: Database;
  readonly asterisk: ChaosAsterisk;
  readonly carrierPort: number;
  /** The folder of finished recordings. */
  readonly recordingDir: string;
  readonly soundUrl: string;
  /** The application's settings. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A Redis database that other tests do not use. */
const REDIS_DATABASE = 9;
const REQUEST_LIMIT = '1000000';

export async function startEnvironment(killSwitch: KillSwitch): Promise<Environment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hatif-chaos-'));
  const [database, redis, asterisk, carrierPort, apiPort, sound] = await Promise.all([
    testDatabase(),
    testRedis(),
    ChaosAsterisk.start(join(dataDir, 'engine')),
    freeSipPort(),
    freeSipPort(),
    serveSound(),
  ]);
  const redisUrl = new URL(redis.url);
  redisUrl.pathname = `/${REDIS_DATABASE}`;
  const redisClient = new Redis(redisUrl.href);
  await redisClient.flushdb();
  redisClient.disconnect();
  const [databaseUrl, ariUrl] = [new URL(database.url), new URL(asterisk.ari.url)];
  const [databaseProxy, engineProxy] = await Promise.all([
    InterceptingProxy.start(databaseUrl, 'database', killSwitch),
    InterceptingProxy.start(ariUrl, 'engine', killSwitch),
  ]);
  const { user, password } = asterisk.ari;
  const recordingDir = join(dataDir, 'recordings');
  return {
    db: database.db,
    asterisk,
    carrierPort,
    recordingDir,
    soundUrl: `http://127.0.0.1:${(sound.address() as AddressInfo).port}/tone.wav`,
    settings: {
      HATIF_DATA_DIR: join(dataDir, 'application'),
      LOG_TO: 'file',
      LOG_LEVEL: 'debug',
      PORT: String(apiPort),
      DATABASE_URL: databaseProxy.url(databaseUrl),
      REDIS_URL: redisUrl.href,
      ASTERISK_ARI_URL: engineProxy.url(ariUrl),
      ASTERISK_ARI_USER: user,
      ASTERISK_ARI_PASSWORD: password,
      ASTERISK_CEL_FILE: asterisk.celFile,
      RECORDING_DIR: recordingDir,
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      // A scripted phone in place of the carrier expects no OPTIONS.
      TRUNK_PROBE_SECONDS: '3600',
      SIP_PORT: String(asterisk.sip.port),
      HATIF_FLAGS_OFF: 'call_velocity',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      PLAY_URL_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_LIVE_PER_MINUTE: REQUEST_LIMIT,
      RATE_LIMIT_ADDRESS_PER_MINUTE: REQUEST_LIMIT,
    },
    async close() {
      sound.close();
      await Promise.all([databaseProxy.close(), engineProxy.close()]);
      await asterisk.stop();
      await database.close();
      await redis.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
