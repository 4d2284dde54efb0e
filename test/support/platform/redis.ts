import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { startEmbedded, stopEmbedded } from '../../../adapters/embedded/index.js';

export interface TestRedis {
  readonly url: string;
  close(): Promise<void>;
}

/** The run's shared Redis (`HATIF_TEST_REDIS_URL`), or a new one that ends with the test. */
export async function testRedis(): Promise<TestRedis> {
  const shared = process.env.HATIF_TEST_REDIS_URL;
  if (shared) return { url: shared, close: () => Promise.resolve() };
  const dataDir = await mkdtemp(join(tmpdir(), 'hatif-test-redis-'));
  const cacheDir = resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache');
  const parts = await startEmbedded(
    { dataDir, cacheDir },
    { postgres: false, redis: true, asterisk: false, speech: false },
  );
  if (!parts.redis) throw new Error('Redis was not started');
  return {
    url: parts.redis.url,
    async close() {
      await stopEmbedded(parts);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
