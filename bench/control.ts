import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { CpuMeter } from './lib/cpu.js';
import { sayIfUnsteady, unlessDisturbed } from './lib/disturbance.js';
import type { TestBed } from './lib/test-bed.js';
import { median } from './lib/median.js';
import { percentile } from './lib/percentile.js';
import { placeStanding } from './lib/standing.js';
import type { Row } from './lib/table.js';

const CALLS = 16;
const CLIENTS = 8;
const ROUNDS = 5;
/** Requests of all clients together in a round; they mute and unmute each call equally often. */
const REQUESTS = 384;
/** V8 optimizes the application's code only after thousands of requests. */
const WARM_UP_REQUESTS = 1_152;
const WARM_UPS = 4;
/** Engines end calls without audio after a minute, so that each round has calls of its own. */
const LIMIT_SECONDS = 80;

interface Round {
  readonly p50: number;
  readonly p99: number;
}

/** Does the work with answered calls, which it ends afterwards. */
type WithCalls = (work: (targets: readonly Target[], callIds: readonly string[]) => Promise<void>) => Promise<void>;

/** Mutes or unmutes a call. */
type Mute = (callId: string, muted: boolean) => Promise<unknown>;

interface Target {
  readonly name: string;
  readonly mute: Mute;
}

/**
 * Measures how long a control request takes through the API (which checks the key and the limits, sends the command to
 * the call's owner and records the call's state and the event), and directly at the engine, on the same calls. The two
 * take turns; the median round counts.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed);
  const { postgres, redis } = testBed.parts;
  const processes = { application: application.pid, PostgreSQL: postgres.pid, Redis: redis.pid };
  const api = openApi(application, CLIENTS);
  try {
    const withCalls: WithCalls = async (work) => {
      const wanted = { calls: CALLS, callsPerSecond: CALLS, limitSeconds: LIMIT_SECONDS };
      const calls = await placeStanding(testBed, application, api, wanted);
      const targets = [throughApi(api), await throughEngine(testBed, application, calls.callIds)];
      await work(targets, calls.callIds);
      await calls.check();
      await calls.end();
    };
    const results = await unlessDisturbed(async () => {
      for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) {
        await withCalls(async (targets, callIds) => {
          for (const { mute } of targets) await measure(mute, sharesOf(callIds), WARM_UP_REQUESTS);
        });
      }
      const alone = await compare(withCalls, (callIds) => [callIds], processes);
      const together = await compare(withCalls, sharesOf, processes);
      return { alone, together };
    });
    return [...rowsOf('one client', results?.alone, 2.5), ...rowsOf(`${CLIENTS} clients`, results?.together, 4)];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

/** The calls of each client. */
function sharesOf(callIds: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: CLIENTS }, (_, client) => callIds.filter((_id, index) => index % CLIENTS === client));
}

function throughApi(api: Api): Target {
  return {
    name: 'Hatif',
    mute: (callId, muted) => api.post(`/v1/calls/${callId}/${muted ? 'mute' : 'unmute'}`),
  };
}

/** The engine identifies the leg of a call by the id of the row in `legs`. */
async function throughEngine(testBed: TestBed, { db }: Application, callIds: readonly string[]): Promise<Target> {
  const { rows } = await db.query<{ id: string; call_id: string }>(
    'SELECT id, call_id FROM legs WHERE call_id = ANY ($1::uuid[])',
    [callIds],
  );
  const legs = new Map(rows.map(({ id, call_id }) => [call_id, id]));
  return {
    name: testBed.engine.title,
    mute: (callId, muted) => testBed.engine.mute(legs.get(callId) ?? '', muted),
  };
}

/**
 * Each client has its own calls: it mutes one after another, then unmutes one after another, and sends its next request
 * when it has the response.
 * @returns the rounds of each target
 */
async function compare(
  withCalls: WithCalls,
  clientsOf: (callIds: readonly string[]) => readonly (readonly string[])[],
  processes: Readonly<Record<string, number>>,
): Promise<Round[][]> {
  const rounds = new Map<string, Round[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await withCalls(async (targets, callIds) => {
      const clients = clientsOf(callIds);
      for (const { name, mute } of targets) {
        const meter = new CpuMeter(processes);
        const tookMs = await measure(mute, clients, REQUESTS);
        const cpu = Object.entries(meter.read()).map(([part, ms]) => `${part} ${(ms / tookMs.length).toFixed(2)}`);
        const [p50, p99] = [percentile(tookMs, 0.5) ?? 0, percentile(tookMs, 0.99) ?? 0];
        rounds.set(name, [...(rounds.get(name) ?? []), { p50, p99 }]);
        console.log(
          `  ${name}, ${clients.length} concurrent: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ` +
            `CPU ms per request: ${cpu.join(', ')}`,
        );
      }
    });
  }
  for (const [name, of] of rounds) {
    sayIfUnsteady(
      `the p50 of ${name} in ms`,
      of.map(({ p50 }) => p50),
    );
  }
  return [...rounds.values()];
}

/** @returns the milliseconds that each request took. */
async function measure(mute: Mute, clients: readonly (readonly string[])[], requests: number): Promise<number[]> {
  const tookMs: number[] = [];
  const send = async (callIds: readonly string[]): Promise<void> => {
    for (let turn = 0; turn < requests / clients.length / callIds.length; turn += 1) {
      for (const callId of callIds) {
        const startedMs = performance.now();
        await mute(callId, turn % 2 === 0);
        tookMs.push(performance.now() - startedMs);
      }
    }
  };
  await Promise.all(clients.map(send));
  return tookMs;
}

function rowsOf(clients: string, rounds: readonly Round[][] | undefined, maxRatio?: number): Row[] {
  const [ours = [], bare = []] = rounds ?? [];
  const row = (what: string, figure: 'p50' | 'p99'): Row => ({
    what,
    ours: median(ours.map((round) => round[figure])),
    baseline: median(bare.map((round) => round[figure])),
    unit: 'ms',
  });
  return [
    {
      ...row(`mute or unmute through the API, ${clients}, p50  vs  directly at the engine`, 'p50'),
      ...(maxRatio !== undefined && { goal: { ratio: maxRatio, better: 'lower' } }),
    },
    row('    p99', 'p99'),
  ];
}
