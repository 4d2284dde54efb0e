import { openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import type { CpuMs } from './lib/cpu.js';
import { unlessDisturbed } from './lib/disturbance.js';
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
const LIMIT_SECONDS = 90;
const PROMPT_SECONDS = 1;
/** Callers press no key: the prompt is repeated after this time. */
const TIMEOUT_SECONDS = 2;

/**
 * Measures the cost of a call flow with 200 concurrent callers that each hear a menu's prompt every three seconds: the
 * flow enters a node, saves it, plays the prompt and waits for the timeout. The baseline is the same calls only hearing
 * audio.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed);
  const api = openApi(application);
  const processes = oursOf(testBed, application);
  const place = (calls: number, request: object): Promise<StandingCalls> =>
    placeStanding(
      testBed,
      application,
      api,
      { calls, callsPerSecond: CALLS_PER_SECOND, limitSeconds: LIMIT_SECONDS },
      request,
    );
  const during = async (what: string, request: object): Promise<{ used: CpuMs; prompted: number }> => {
    const calls = await place(CALLS, request);
    const before = await timedOutPrompts(application);
    const used = await cpuPerSecond(processes, WINDOW_SECONDS);
    const prompted = ((await timedOutPrompts(application)) - before) / WINDOW_SECONDS;
    await calls.check();
    await calls.end();
    sayWindow(what, used);
    return { used, prompted };
  };
  try {
    const windows = await unlessDisturbed(async () => {
      const flow = { callflow_id: await makeFlow(api) };
      const play = { play: { audio_id: await uploadTone(api, LIMIT_SECONDS) } };
      await (await place(WARM_UP_CALLS, flow)).end();
      return {
        flow: await during(`${CALLS} callers in a flow`, flow),
        play: await during(`${CALLS} calls playing audio`, play),
      };
    });
    const row = (what: string, part: string): Row => ({
      what,
      ours: windows?.flow.used[part] ?? null,
      baseline: windows && mean(each([windows.play.used], part)),
      unit: 'ms/s',
    });
    return [
      row(
        `CPU of the application with ${CALLS} callers in a flow  vs  the same calls only playing audio`,
        'application',
      ),
      row('    PostgreSQL', 'postgres'),
      row('    the engine', 'engine'),
      { what: '    prompts that timed out', ours: windows?.flow.prompted ?? null, baseline: null, unit: '1/s' },
    ];
  } finally {
    await Promise.all([application.stop(), api.close()]);
  }
}

/** Makes a flow that repeats its prompt forever. @returns its id */
async function makeFlow(api: Api): Promise<string> {
  const prompt = { audio_id: await uploadTone(api, PROMPT_SECONDS) };
  const definition = {
    start: 'ask',
    nodes: {
      ask: {
        type: 'menu',
        prompt,
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

/** How many prompts have timed out so far: silence is recorded as input, too. */
async function timedOutPrompts({ db, projectId }: Application): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM call_timeline JOIN calls ON calls.id = call_id
     WHERE project_id = $1 AND type = 'flow.input'`,
    [projectId],
  );
  return rows[0]?.count ?? 0;
}
