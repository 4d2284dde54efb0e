import { join } from 'node:path';
import pg from 'pg';
import { Child, profilingOptions } from './child.js';
import type { TestBed } from './test-bed.js';

/** The running application under test. */
export interface Application {
  readonly pid: number;
  readonly url: string;
  readonly key: string;
  /** A number that answers, and then hangs up or stays up. */
  readonly line: string;
  readonly projectId: string;
  /** The benchmark's own connections to the application's database. */
  readonly db: pg.Pool;
  /** Bytes of the heap in use after a full garbage collection. */
  heapUsed(): Promise<number>;
  stop(): Promise<void>;
}

const UNLIMITED_REQUESTS = '1000000';

export interface ApplicationOptions {
  /** Whether inbound calls stay up after they are answered, instead of being hung up. */
  readonly stays?: boolean;
  /** Settings that override the defaults of the benchmark. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startApplication(testBed: TestBed, options: ApplicationOptions = {}): Promise<Application> {
  const { stays = false, environment = {} } = options;
  const { postgres, redis } = testBed.parts;
  const child = await Child.start(
    'application.ts',
    {
      HATIF_DATA_DIR: join(testBed.folder, 'application'),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SIP_TRUNK_URI: `sip:127.0.0.1:${testBed.engine.peers.trunk.port}`,
      // The scripted carrier expects no OPTIONS.
      TRUNK_PROBE_SECONDS: '3600',
      ESPEAK_COMMAND: 'espeak-ng',
      PORT: '0',
      LOG_TO: 'file',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_LIVE_PER_MINUTE: UNLIMITED_REQUESTS,
      RATE_LIMIT_ADDRESS_PER_MINUTE: UNLIMITED_REQUESTS,
      NODE_ENV: 'production',
      BENCH_ANSWERED: stays ? 'stay' : 'hang up',
      ...testBed.engine.settings,
      ...environment,
    },
    // As `npm start` does.
    ['--max-semi-space-size=64', '--expose-gc', ...profilingOptions()],
  );
  const { url, key, line, projectId } = child.ready as Pick<Application, 'url' | 'key' | 'line' | 'projectId'>;
  const db = new pg.Pool({ connectionString: environment.DATABASE_URL ?? postgres.url, max: 2 });
  // After an interruption the database stops first; queries still running report the error themselves.
  db.on('error', () => undefined);
  // The engine is measured, not what a project may do.
  await db.query(`UPDATE projects SET max_calls = 100000`);
  return {
    pid: child.pid,
    url,
    key,
    line,
    projectId,
    db,
    async heapUsed() {
      return Number((await child.ask({})).heapUsed);
    },
    async stop() {
      await db.end();
      await child.stop();
    },
  };
}
