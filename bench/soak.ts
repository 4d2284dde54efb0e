import { startApplication } from './lib/application.js';
import { Child } from './lib/child.js';
import { inDatabase } from './lib/database.js';
import { Disturbance, unlessDisturbed } from './lib/disturbance.js';
import { missingOf } from './lib/settled.js';
import { call } from './lib/sipp.js';
import type { TestBed } from './lib/test-bed.js';
import type { Row } from './lib/table.js';

const DATABASE = 'hatif_soak';
/** Far below what any machine reaches, so that none is late. */
const CALLS_PER_SECOND = 100;
const CHUNK = 5_000;
/** Until caches are full and the code is compiled. */
const WARM_UP = 10_000;
/** The work that the last calls left behind is done after this time. */
const SETTLE_MS = 3_000;
const MB = 1024 * 1024;
/** Statistics of metrics and caches that are not full yet. */
const MOST_GROWTH_MB = 8;

/** `BENCH_SOAK_CALLS=<simulated>,<real>`: how many calls of each. */
const [SIMULATED = 1_000_000, REAL = 100_000] = (process.env.BENCH_SOAK_CALLS ?? '')
  .split(',')
  .filter((text) => text !== '')
  .map(Number);

/** Measures whether the heap is as large after very many short calls as before: simulated ones, and ones of Asterisk. */
export async function run(testBed: TestBed): Promise<Row[]> {
  return [await simulated(testBed), await real(testBed)];
}

function simulated(testBed: TestBed): Promise<Row> {
  return inDatabase(testBed, DATABASE, async (url) => {
    const child = await Child.start('soak/simulated.ts', { BENCH_DATABASE: url }, ['--expose-gc']);
    const make = async (calls: number): Promise<number> => {
      let heapUsed = 0;
      for (let made = 0; made < calls; made += CHUNK) {
        ({ heapUsed } = (await child.ask({ calls: Math.min(CHUNK, calls - made) })) as { heapUsed: number });
      }
      return heapUsed;
    };
    try {
      return rowOf('the simulator', SIMULATED, await make(WARM_UP), await make(SIMULATED));
    } finally {
      await child.stop();
    }
  });
}

async function real(testBed: TestBed): Promise<Row> {
  const application = await startApplication(testBed);
  const { port, sip: remote } = testBed.engine.peers.trunk;
  const make = async (calls: number): Promise<number> => {
    const since = new Date();
    const limitSeconds = Math.ceil(calls / CALLS_PER_SECOND) + 10;
    const wanted = { port, remote, number: application.line, calls, callsPerSecond: CALLS_PER_SECOND, limitSeconds };
    const { successful } = await call(testBed.sipp, wanted).done;
    const missing =
      successful < calls ? `${calls - successful} calls failed` : await missingOf(application, calls, since);
    if (missing !== '') throw new Disturbance(missing);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return application.heapUsed();
  };
  try {
    const heaps = await unlessDisturbed(async () => ({ before: await make(WARM_UP), after: await make(REAL) }));
    return rowOf(testBed.engine.title, REAL, heaps?.before ?? null, heaps?.after ?? null);
  } finally {
    await application.stop();
  }
}

function rowOf(engine: string, calls: number, before: number | null, after: number | null): Row {
  const grown = before === null || after === null ? null : (after - before) / MB;
  if (before !== null && after !== null) {
    console.log(`  ${engine}: heap ${(before / MB).toFixed(1)} MB, after ${calls} calls ${(after / MB).toFixed(1)} MB`);
  }
  return {
    what: `growth of the heap by ${calls} short calls on ${engine}`,
    ours: grown === null ? null : Math.max(0, grown),
    baseline: null,
    unit: 'MB',
    goal: { max: MOST_GROWTH_MB },
  };
}
