import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import type { CpuMs } from './lib/cpu.js';
import { Disturbance, sayIfUnsteady, unlessDisturbed } from './lib/disturbance.js';
import type { TestBed } from './lib/test-bed.js';
import { oursOf } from './lib/report.js';
import { placeStanding, type StandingCalls } from './lib/standing.js';
import type { Row } from './lib/table.js';
import { uploadTone } from './lib/tone.js';
import { cpuPerSecond, each, mean, sayWindow } from './lib/window.js';

const CALLS = 50;
const CALLS_PER_SECOND = 25;
const ROUNDS = 2;
const WINDOW_SECONDS = 7;
const TONE_SECONDS = 90;
const LIMIT_SECONDS = 80;
const SETTLE_MS = 1_000;
const STORED_WITHIN_MS = 15_000;
const POLL_MS = 100;

interface Measured {
  readonly recorded: readonly CpuMs[];
  readonly unrecorded: readonly CpuMs[];
}

/**
 * Measures the cost of recording, for sizing a machine: calls that hear a tone and send it back, recorded on two
 * channels, and the same calls not recorded. The two take turns.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed);
  const api = openApi(application);
  try {
    const result = await unlessDisturbed(async () => {
      const wanted = { calls: CALLS, callsPerSecond: CALLS_PER_SECOND, limitSeconds: LIMIT_SECONDS };
      const request = { play: { audio_id: await uploadTone(api, TONE_SECONDS) } };
      const calls = await placeStanding(testBed, application, api, wanted, request);
      const measured = await takeTurns(testBed, application, api, calls);
      await calls.check();
      await calls.end();
      return measured;
    });
    const row = (what: string, part: string): Row => ({
      what,
      ours: result && mean(each(result.recorded, part)),
      baseline: result && mean(each(result.unrecorded, part)),
      unit: 'ms/s',
    });
    return [
      row(`CPU of the engine, ${CALLS} calls recorded on two channels  vs  not recorded`, 'engine'),
      row('    application', 'application'),
    ];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

async function takeTurns(
  testBed: TestBed,
  application: Application,
  api: Api,
  { callIds }: StandingCalls,
): Promise<Measured> {
  const processes = oursOf(testBed, application);
  const window = async (what: string): Promise<CpuMs> => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const used = await cpuPerSecond(processes, WINDOW_SECONDS);
    sayWindow(what, used);
    return used;
  };
  const all = (action: string): Promise<unknown> =>
    Promise.all(callIds.map((callId) => api.post(`/v1/calls/${callId}/recording/${action}`)));
  const measured = { recorded: [] as CpuMs[], unrecorded: [] as CpuMs[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    measured.unrecorded.push(await window(`${CALLS} calls`));
    await all('start');
    measured.recorded.push(await window(`${CALLS} calls recorded`));
    await all('stop');
    await waitUntilStored(application, callIds, round);
  }
  for (const windows of [measured.unrecorded, measured.recorded]) {
    sayIfUnsteady('the engine, in ms per second,', each(windows, 'engine'));
  }
  return measured;
}

/**
 * Waits until the application has stored all recordings.
 * @throws Disturbance if it is too slow, or if audio is missing
 */
async function waitUntilStored({ db }: Application, callIds: readonly string[], rounds: number): Promise<void> {
  const deadline = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM recordings
       WHERE call_id = ANY ($1::uuid[]) AND status = 'available' AND duration_ms >= $2`,
      [callIds, WINDOW_SECONDS * 1000],
    );
    const wanted = callIds.length * rounds;
    if (rows[0]?.count === wanted) return;
    if (performance.now() > deadline) throw new Disturbance(`${rows[0]?.count} of ${wanted} recordings are stored`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
