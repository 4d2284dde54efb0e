import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import type { CpuMs } from './lib/cpu.js';
import { Disturbance, sayIfUnsteady, unlessDisturbed } from './lib/disturbance.js';
import type { Ground } from './lib/ground.js';
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
const KEPT_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;

interface Measured {
  readonly recorded: readonly CpuMs[];
  readonly unrecorded: readonly CpuMs[];
}

/**
 * What recording costs, for who plans a machine: calls that hear a tone and send it back, recorded on two channels, beside the same calls not
 * recorded. The two take turns.
 */
export async function run(ground: Ground): Promise<Row[]> {
  const application = await startApplication(ground);
  const api = openApi(application);
  try {
    const measured = await unlessDisturbed(async () => {
      const wanted = { calls: CALLS, callsPerSecond: CALLS_PER_SECOND, limitSeconds: LIMIT_SECONDS };
      const request = { play: { audio_id: await uploadTone(api, TONE_SECONDS) } };
      const calls = await placeStanding(ground, application, api, wanted, request);
      const taken = await takeTurns(ground, application, api, calls);
      await calls.check();
      await calls.end();
      return taken;
    });
    const row = (what: string, part: string): Row => ({
      what,
      ours: measured && mean(each(measured.recorded, part)),
      baseline: measured && mean(each(measured.unrecorded, part)),
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
  ground: Ground,
  application: Application,
  api: Api,
  { callIds }: StandingCalls,
): Promise<Measured> {
  const processes = oursOf(ground, application);
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
    await kept(application, callIds, round);
  }
  for (const windows of [measured.unrecorded, measured.recorded]) {
    sayIfUnsteady('the engine, in ms a second,', each(windows, 'engine'));
  }
  return measured;
}

/** The application is done with what was recorded. @throws Disturbance when it is not in time, or when audio is missing */
async function kept({ db }: Application, callIds: readonly string[], rounds: number): Promise<void> {
  const deadline = performance.now() + KEPT_WITHIN_MS;
  for (;;) {
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM recordings
       WHERE call_id = ANY ($1::uuid[]) AND status = 'available' AND duration_ms >= $2`,
      [callIds, WINDOW_SECONDS * 1000],
    );
    const wanted = callIds.length * rounds;
    if (rows[0]?.count === wanted) return;
    if (performance.now() > deadline) throw new Disturbance(`${rows[0]?.count} of ${wanted} recordings are kept`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
