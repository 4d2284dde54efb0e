import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { createLogger } from '../../../api/http/logging.js';
import { readSettings } from '../../../config/read-settings.js';
import type { Settings } from '../../../config/settings.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import type { Parts } from '../../../main/install/parts.js';
import { startPlatform, type Platform } from '../../../main/platform.js';
import { testDatabase, type TestDatabase } from './database.js';
import { testRedis } from './redis.js';

/** A platform without engines, on its own database. */
export interface BarePlatform {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

/**
 * @param roles such as `api,jobs`
 * @param parts replace the platform's own
 */
export async function barePlatform(
  roles: string,
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<Parts> = {},
): Promise<BarePlatform> {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()]);
  const dataDir = await mkdtemp(join(tmpdir(), 'hatif-bare-'));
  const settings = readSettings({ HATIF_ROLES: roles, HATIF_DATA_DIR: dataDir, PORT: '0', ...environment });
  const platform = await startPlatform({
    settings,
    parts: {
      databaseUrl: database.url,
      redisUrl: redis.url,
      ari: null,
      codecs: [],
      sip: { host: '127.0.0.1', port: 1 },
      engineSip: null,
      cel: null,
      turn: null,
      speech: await resolveTool('espeak-ng', { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') }),
      embedded: { postgres: undefined, redis: undefined, asterisk: undefined, speech: undefined, turn: undefined },
      ...parts,
    },
    cipher: new Cipher('a secret for tests, thirty-two characters'),
    log: createLogger({ level: 'silent' }),
  });
  return {
    platform,
    settings,
    database,
    async close() {
      await platform.stop(0, true);
      await rm(dataDir, { recursive: true, force: true });
      await redis.close();
      await database.close();
    },
  };
}
