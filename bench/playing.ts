import { openApi } from './lib/api.js';
import { startApplication } from './lib/application.js';
import type { CpuMs } from './lib/cpu.js';
import { sayIfUnsteady, unlessDisturbed } from './lib/disturbance.js';
import type { TestBed } from './lib/test-bed.js';
import { oursOf } from './lib/report.js';
import { placeStanding, type StandingCalls } from './lib/standing.js';
import type { Row } from './lib/table.js';
import { uploadTone } from './lib/tone.js';
import { cpuPerSecond, each, mean, sayWindow } from './lib/window.js';

const CALLS = 200;
const CALLS_PER_SECOND = 40;
const WARM_UP_CALLS = 20;
const WINDOW_SECONDS = 10;
/** Longer than the measured window. */
const TONE_SECONDS = 60;
const LIMIT_SECONDS = 60;
/** The work at the start and the end of calls is done after this time. */
const SETTLE_MS = 2_000;

/**
 * Measures the cost of calls that only hear audio: the application's CPU time with them and without any call. The
 * difference is the work that the application does for each call between events; the goal is none.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed);
  const api = openApi(application);
  const processes = oursOf(testBed, application);
  const window = async (what: string, seconds: number): Promise<CpuMs> => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const used = await cpuPerSecond(processes, seconds);
    sayWindow(what, used);
    return used;
  };
  try {
    const windows = await unlessDisturbed(async () => {
      const request = { play: { audio_id: await uploadTone(api, TONE_SECONDS) } };
      const place = (calls: number): Promise<StandingCalls> => {
        const wanted = { calls, callsPerSecond: CALLS_PER_SECOND, limitSeconds: LIMIT_SECONDS };
        return placeStanding(testBed, application, api, wanted, request);
      };
      await (await place(WARM_UP_CALLS)).end();
      const before = await window('no calls', WINDOW_SECONDS);
      const calls = await place(CALLS);
      const playing = await window(`${CALLS} calls playing audio`, 2 * WINDOW_SECONDS);
      await calls.check();
      await calls.end();
      return { playing, idle: [before, await window('no calls again', WINDOW_SECONDS)] };
    });
    const row = (what: string, part: string): Row => ({
      what,
      ours: windows?.playing[part] ?? null,
      baseline: windows && mean(each(windows.idle, part)),
      unit: 'ms/s',
    });
    if (windows) sayIfUnsteady('the application without calls, in ms per second,', each(windows.idle, 'application'));
    return [
      {
        ...row(`CPU of the application while ${CALLS} calls only play audio  vs  without calls`, 'application'),
        goal: { ratio: 1.2, better: 'lower' },
      },
      row('    PostgreSQL', 'postgres'),
      row('    the engine', 'engine'),
    ];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}
