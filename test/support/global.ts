import { join, resolve } from 'node:path';

import { resolveTool, startEmbedded, stopEmbedded, type ToolName } from '../../adapters/embedded/index.js';
import { Database } from '../../core/data/database.js';

interface TestParts {
  /** What test processes need to find the parts. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Programs that tests start for themselves: of speech, and engines and phones. */
const SPEECH: readonly ToolName[] = ['espeak-ng'];
const ENGINES: readonly ToolName[] = ['asterisk', 'baresip', 'sipp'];

/**
 * What a whole test run shares: one PostgreSQL and one Redis below `folder`, and the programs that tests start for themselves,
 * fetched once and kept for later runs.
 * @param engines whether tests run that start engines and phones
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
  await forgetful(parts.postgres.url);
  return {
    env: {
      HATIF_CACHE_DIR: cacheDir,
      HATIF_TEST_DATABASE_URL: parts.postgres.url,
      HATIF_TEST_REDIS_URL: parts.redis.url,
    },
    stop: () => stopEmbedded(parts),
  };
}

/** What tests write need not outlive the machine: nothing waits for the disk. */
async function forgetful(url: string): Promise<void> {
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

/** One line a step; a terminal would be flooded by each per cent. */
function onProgress(text: string): void {
  if (text !== last) process.stdout.write(`  ${text}\n`);
  last = text;
}
