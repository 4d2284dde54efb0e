import { join } from 'node:path';
import pg from 'pg';
import { Child } from './child.js';
import type { Ground } from './ground.js';

/** The running application under test. */
export interface Application {
  readonly pid: number;
  readonly url: string;
  readonly key: string;
  /** A number that answers, and hangs up or stays. */
  readonly line: string;
  readonly projectId: string;
  /** The benchmark's own look into the application's database. */
  readonly db: pg.Pool;
  /** Bytes of its heap that are in use, after a full collection. */
  heapUsed(): Promise<number>;
  stop(): Promise<void>;
}

const MOST_REQUESTS = '1000000';

export interface ApplicationOptions {
  /** Whether calls that come in are left to themselves once they are answered, instead of hung up. */
  readonly stays?: boolean;
  /** Settings of its own. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startApplication(ground: Ground, options: ApplicationOptions = {}): Promise<Application> {
  const { stays = false, environment = {} } = options;
  const { postgres, redis } = ground.parts;
  const child = await Child.start(
    'application.ts',
    {
      HATIF_DATA_DIR: join(ground.folder, 'application'),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SIP_TRUNK_URI: `sip:127.0.0.1:${ground.engine.doors.trunk.port}`,
      ESPEAK_COMMAND: 'espeak-ng',
      PORT: '0',
      LOG_TO: 'file',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_LIVE_PER_MINUTE: MOST_REQUESTS,
      RATE_LIMIT_ADDRESS_PER_MINUTE: MOST_REQUESTS,
      NODE_ENV: 'production',
      BENCH_ANSWERED: stays ? 'stay' : 'hang up',
      ...ground.engine.settings,
      ...environment,
    },
    ['--expose-gc', ...profilingOptions()],
  );
  const { url, key, line, projectId } = child.ready as Pick<Application, 'url' | 'key' | 'line' | 'projectId'>;
  const db = new pg.Pool({ connectionString: environment.DATABASE_URL ?? postgres.url, max: 2 });
  // After an interruption the database goes first; who asks it then is told by the answer.
  db.on('error', () => undefined);
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

/** `BENCH_PROFILE=<folder>`: the application leaves a CPU profile there when it ends. */
function profilingOptions(): string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
