import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import type { CpuMs } from './lib/cpu.js';
import { unlessDisturbed } from './lib/disturbance.js';
import type { Ground } from './lib/ground.js';
import { oursOf } from './lib/report.js';
import { placeStanding, type StandingCalls } from './lib/standing.js';
import type { Row } from './lib/table.js';
import { uploadTone } from './lib/tone.js';
import { cpuPerSecond, each, mean, sayWindow } from './lib/window.js';

const CALLS = 200;
const CALLS_PER_SECOND = 40;
const WARM_UP_CALLS = 20;
const WINDOW_SECONDS = 10;
const LIMIT_SECONDS = 90;
const PROMPT_SECONDS = 1;
/** Callers press nothing: they hear the prompt again after this time. */
const TIMEOUT_SECONDS = 2;

/**
 * What a call flow costs with 200 callers in it at once, each of whom is asked anew every three seconds: a node is entered and saved, its prompt
 * played, its time waited for. Beside it the same calls that only hear audio.
 */
export async function run(ground: Ground): Promise<Row[]> {
  const application = await startApplication(ground);
  const api = openApi(application);
  const processes = oursOf(ground, application);
  const place = (calls: number, request: object): Promise<StandingCalls> =>
    placeStanding(
      ground,
      application,
      api,
      { calls, callsPerSecond: CALLS_PER_SECOND, limitSeconds: LIMIT_SECONDS },
      request,
    );
  const during = async (what: string, request: object): Promise<{ used: CpuMs; asked: number }> => {
    const calls = await place(CALLS, request);
    const before = await questions(application);
    const used = await cpuPerSecond(processes, WINDOW_SECONDS);
    const asked = ((await questions(application)) - before) / WINDOW_SECONDS;
    await calls.check();
    await calls.end();
    sayWindow(what, used);
    return { used, asked };
  };
  try {
    const windows = await unlessDisturbed(async () => {
      const flow = { callflow_id: await makeFlow(api) };
      const play = { play: { audio_id: await uploadTone(api, LIMIT_SECONDS) } };
      await (await place(WARM_UP_CALLS, flow)).end();
      return {
        flow: await during(`${CALLS} callers in a flow`, flow),
        play: await during(`${CALLS} calls play`, play),
      };
    });
    const row = (what: string, part: string): Row => ({
      what,
      ours: windows?.flow.used[part] ?? null,
      baseline: windows && mean(each([windows.play.used], part)),
      unit: 'ms/s',
    });
    return [
      row(`CPU of the application with ${CALLS} callers in a flow  vs  the same calls that only play`, 'application'),
      row('    PostgreSQL', 'postgres'),
      row('    the engine', 'engine'),
      { what: '    questions asked and waited for', ours: windows?.flow.asked ?? null, baseline: null, unit: '1/s' },
    ];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

/** Asks, waits, asks again. */
async function makeFlow(api: Api): Promise<string> {
  const again = { audio_id: await uploadTone(api, PROMPT_SECONDS) };
  const definition = {
    start: 'ask',
    nodes: {
      ask: {
        type: 'menu',
        prompt: again,
        choices: { 1: 'end' },
        timeout_seconds: TIMEOUT_SECONDS,
        retries: 0,
        no_input: 'ask',
      },
      end: { type: 'hangup' },
    },
  };
  const { id } = (await api.post('/v1/callflows', { name: 'bench', kind: 'graph', definition })) as { id: string };
  await api.post(`/v1/callflows/${id}/activate`);
  return id;
}

/** How many were answered, by silence. */
async function questions({ db, projectId }: Application): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM call_timeline JOIN calls ON calls.id = call_id
     WHERE project_id = $1 AND type = 'flow.input'`,
    [projectId],
  );
  return rows[0]?.count ?? 0;
}
