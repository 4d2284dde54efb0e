import { join, resolve } from 'node:path';

import { resolveTool, startEmbedded, stopEmbedded, type ToolName } from '../../adapters/embedded/index.js';
import { Database } from '../../core/data/database.js';

interface TestParts {
  /** The environment variables that test processes find the parts by. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Programs that tests start themselves: speech synthesis, engines and phones. */
const SPEECH: readonly ToolName[] = ['espeak-ng'];
const ENGINES: readonly ToolName[] = ['asterisk', 'baresip', 'sipp'];

/**
 * Starts what a test run shares: one PostgreSQL and one Redis below `folder`. Also fetches the programs that tests
 * start themselves, and keeps them for later runs.
 * @param engines whether the run has tests that start engines and phones
 */
export async function startParts(folder: string, engines = true): Promise<TestParts> {
  const dataDir = join(folder, 'parts');
  const cacheDir = resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache');
  const packages = { cacheDir, onProgress };
  for (const name of engines ? [...ENGINES, ...SPEECH] : SPEECH) await resolveTool(name, packages);
  const parts = await startEmbedded(
    { dataDir, ...packages },
    { postgres: true, redis: true, asterisk: false, speech: false },
  );
  if (!parts.postgres || !parts.redis) throw new Error('the parts were not started');
  await disableDurability(parts.postgres.url);
  return {
    env: {
      HATIF_CACHE_DIR: cacheDir,
      HATIF_TEST_DATABASE_URL: parts.postgres.url,
      HATIF_TEST_REDIS_URL: parts.redis.url,
    },
    stop: () => stopEmbedded(parts),
  };
}

/** Test data need not survive a crash of the machine, so nothing waits for the disk. */
async function disableDurability(url: string): Promise<void> {
  const db = Database.open(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
      await db.query(`ALTER SYSTEM SET ${setting} = off`);
    await db.query('SELECT pg_reload_conf()');
  } finally {
    await db.close();
  }
}

let last = '';

/** Prints one line a step; a line for each per cent would flood a terminal. */
function onProgress(text: string): void {
  if (text !== last) process.stdout.write(`  ${text}\n`);
  last = text;
}
