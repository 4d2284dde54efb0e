import { openApi } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { unlessDisturbed } from './lib/disturbance.js';
import type { Ground } from './lib/ground.js';
import { callInStanding } from './lib/standing.js';
import type { Row } from './lib/table.js';

const CALLS = 1_000;
/** All are there before the engine ends the first, in which nothing was heard for a minute. */
const CALLS_PER_SECOND = 50;
const WARM_UP_CALLS = 200;
const LIMIT_SECONDS = 80;
/** What the last requests left behind is through by then. */
const SETTLE_MS = 1_500;
const KB = 1024;

/** What a call that is live costs the application in memory: its heap with many idle calls, less its heap without any. */
export async function run(ground: Ground): Promise<Row[]> {
  const application = await startApplication(ground, { stays: true });
  const api = openApi(application);
  const during = (calls: number, work: () => Promise<void>): Promise<void> =>
    callInStanding(ground, application, api, {
      calls,
      callsPerSecond: CALLS_PER_SECOND,
      limitSeconds: LIMIT_SECONDS,
    }).then(async (standing) => {
      await work();
      await standing.check();
      await standing.end();
    });
  try {
    const perCall = await unlessDisturbed(async () => {
      // Connections, compiled code and caches that any work leaves are none of the calls'.
      await during(WARM_UP_CALLS, () => Promise.resolve());
      const before = await heapUsed(application, 'without calls');
      let full = 0;
      await during(CALLS, async () => {
        full = await heapUsed(application, `with ${CALLS} calls`);
      });
      await heapUsed(application, 'when they are over');
      return (full - before) / CALLS;
    });
    return [
      {
        what: `heap of the application per live call, at ${CALLS} calls`,
        ours: perCall === null ? null : perCall / KB,
        baseline: null,
        unit: 'KB/call',
        goal: { most: 30 },
      },
    ];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

async function heapUsed(application: Application, when: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const bytes = await application.heapUsed();
  console.log(`  heap ${when}: ${(bytes / KB / KB).toFixed(2)} MB`);
  return bytes;
}
