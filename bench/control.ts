import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { CpuMeter } from './lib/cpu.js';
import { sayIfUnsteady, unlessDisturbed } from './lib/disturbance.js';
import type { Ground } from './lib/ground.js';
import { median } from './lib/median.js';
import { percentile } from './lib/percentile.js';
import { placeStanding } from './lib/standing.js';
import type { Row } from './lib/table.js';

const CALLS = 16;
const CLIENTS = 8;
const ROUNDS = 5;
/** Of all clients together, in a round: each call is muted and unmuted as often. */
const REQUESTS = 384;
/** The application's code is compiled for speed only after thousands of requests. */
const WARM_UP_REQUESTS = 4_608;
const LIMIT_SECONDS = 80;

interface Round {
  readonly p50: number;
  readonly p99: number;
}

/** Mutes or unmutes a call. */
type Mute = (callId: string, muted: boolean) => Promise<unknown>;

interface Way {
  readonly name: string;
  readonly mute: Mute;
}

/**
 * How long a control request takes: by the API, with the check of the key and the limits, the command to the call's owner, the record and the
 * event; and the same request to the engine alone, on the same calls. The two take turns, and the median round counts.
 */
export async function run(ground: Ground): Promise<Row[]> {
  const application = await startApplication(ground);
  const api = openApi(application, CLIENTS);
  try {
    const results = await unlessDisturbed(async () => {
      const wanted = { calls: CALLS, callsPerSecond: CALLS, limitSeconds: LIMIT_SECONDS };
      const calls = await placeStanding(ground, application, api, wanted);
      const ways = [byApi(api), await byEngine(ground, application, calls.callIds)];
      const shares = Array.from({ length: CLIENTS }, (_, client) =>
        calls.callIds.filter((_id, index) => index % CLIENTS === client),
      );
      for (const { mute } of ways) await measure(mute, shares, WARM_UP_REQUESTS);
      const alone = await compare(ways, [calls.callIds], application.pid);
      const together = await compare(ways, shares, application.pid);
      await calls.check();
      await calls.end();
      return { alone, together };
    });
    return [...rowsOf('one client', results?.alone, 2.5), ...rowsOf(`${CLIENTS} clients`, results?.together)];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

function byApi(api: Api): Way {
  return {
    name: 'Hatif',
    mute: (callId, muted) => api.post(`/v1/calls/${callId}/${muted ? 'mute' : 'unmute'}`),
  };
}

/** The engine knows a call's leg under the leg's own id. */
async function byEngine(ground: Ground, { db }: Application, callIds: readonly string[]): Promise<Way> {
  const { rows } = await db.query<{ id: string; call_id: string }>(
    'SELECT id, call_id FROM legs WHERE call_id = ANY ($1::uuid[])',
    [callIds],
  );
  const legs = new Map(rows.map(({ id, call_id }) => [call_id, id]));
  return {
    name: ground.engine.title,
    mute: (callId, muted) => ground.engine.mute(legs.get(callId) ?? '', muted),
  };
}

/** Each client has calls of its own: it mutes one after another, unmutes one after another, and sends its next request when it has the answer. */
async function compare(ways: readonly Way[], clients: readonly (readonly string[])[], pid: number): Promise<Round[][]> {
  const rounds: Round[][] = ways.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { name, mute }] of ways.entries()) {
      const meter = new CpuMeter({ application: pid });
      const tookMs = await measure(mute, clients, REQUESTS);
      const cpuMs = (meter.read().application ?? 0) / tookMs.length;
      const [p50, p99] = [percentile(tookMs, 0.5) ?? 0, percentile(tookMs, 0.99) ?? 0];
      rounds[index]?.push({ p50, p99 });
      console.log(
        `  ${name}, ${clients.length} at once: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ` +
          `CPU of the application ${cpuMs.toFixed(2)} ms a request`,
      );
    }
  }
  for (const [index, { name }] of ways.entries()) {
    sayIfUnsteady(`the p50 of ${name} in ms`, rounds[index]?.map(({ p50 }) => p50) ?? []);
  }
  return rounds;
}

/** @returns how long each of so many requests took. */
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

function rowsOf(clients: string, rounds: readonly Round[][] | undefined, mostRatio?: number): Row[] {
  const [ours = [], bare = []] = rounds ?? [];
  const row = (what: string, figure: 'p50' | 'p99'): Row => ({
    what,
    ours: median(ours.map((round) => round[figure])),
    baseline: median(bare.map((round) => round[figure])),
    unit: 'ms',
  });
  return [
    {
      ...row(`mute or unmute by the API, ${clients}, p50  vs  the engine's own request`, 'p50'),
      ...(mostRatio !== undefined && { goal: { ratio: mostRatio, better: 'lower' } }),
    },
    row('    p99', 'p99'),
  ];
}
