import { openApi } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { unlessDisturbed } from './lib/disturbance.js';
import type { TestBed } from './lib/test-bed.js';
import { callInStanding } from './lib/standing.js';
import type { Row } from './lib/table.js';

const CALLS = 1_000;
/**
 * Fast enough to establish all calls before the engine ends the first one, which it does after a minute without audio.
 */
const CALLS_PER_SECOND = 50;
const WARM_UP_CALLS = 200;
const LIMIT_SECONDS = 80;
/** The work that the last requests left behind is done after this time. */
const SETTLE_MS = 1_500;
const KB = 1024;

/**
 * Measures the application's memory per live call: its heap with many idle calls minus its heap without any, divided by
 * the number of calls.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed, { stays: true });
  const api = openApi(application);
  const during = (calls: number, work: () => Promise<void>): Promise<void> =>
    callInStanding(testBed, application, api, {
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
      // So that connections, compiled code and caches do not count as memory of the calls.
      await during(WARM_UP_CALLS, () => Promise.resolve());
      const before = await heapUsed(application, 'without calls');
      let full = 0;
      await during(CALLS, async () => {
        full = await heapUsed(application, `with ${CALLS} calls`);
      });
      await heapUsed(application, 'after they ended');
      return (full - before) / CALLS;
    });
    return [
      {
        what: `heap of the application per live call, at ${CALLS} calls`,
        ours: perCall === null ? null : perCall / KB,
        baseline: null,
        unit: 'KB/call',
        goal: { max: 30 },
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
