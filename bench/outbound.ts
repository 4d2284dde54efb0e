import { CALLEE, CALLER, openApi, type Api } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { Child } from './lib/child.js';
import { climbTogether, LATE_SECONDS, STEP_SECONDS, type Step } from './lib/climb.js';
import { CpuMeter } from './lib/cpu.js';
import type { TestBed } from './lib/test-bed.js';
import { paced } from './lib/paced.js';
import { pinned } from './lib/pinning.js';
import { cpuRows, oursOf, say } from './lib/report.js';
import { missingOf } from './lib/settled.js';
import { answer } from './lib/sipp.js';
import type { Row } from './lib/table.js';

const LIMIT_SECONDS = STEP_SECONDS + 4;

interface Source {
  readonly name: string;
  /** SIP port of the callees. */
  readonly port: number;
  readonly processes: Readonly<Record<string, number>>;
  /** Places calls at an even rate. Resolves with the problem, or an empty string if there was none. */
  readonly place: (calls: number, callsPerSecond: number) => Promise<string>;
}

/**
 * Measures outbound calls per second that the callee answers and hangs up, placed through the API and by a bare script.
 */
export function run(testBed: TestBed): Promise<Row[]> {
  return pinned(testBed, () => compare(testBed));
}

async function compare(testBed: TestBed): Promise<Row[]> {
  const { engine } = testBed;
  const { peers, scripts } = engine;
  const application = await startApplication(testBed);
  const api = openApi(application);
  const script = await Child.start(scripts.dial, { ...scripts.environment, CALLEE_PORT: String(peers.bare.port) });
  const sources: readonly Source[] = [
    {
      name: 'Hatif',
      port: peers.trunk.port,
      processes: oursOf(testBed, application),
      place: placeThroughApi(application, api),
    },
    {
      name: 'bare script',
      port: peers.bare.port,
      processes: { engine: peers.bare.pid, application: script.pid },
      async place(calls, callsPerSecond) {
        const { ended } = await script.ask({ calls, callsPerSecond, limitMs: LIMIT_SECONDS * 1000 });
        return ended === calls ? '' : `${String(ended)} of ${calls} calls were answered and ended`;
      },
    },
  ];
  const [ours = null, bare = null] = await climbTogether(
    sources.map((source) => ({
      ...source,
      firstRate: 50,
      run: (rate) => stepOf(testBed, source, rate),
    })),
    say,
  ).finally(() => Promise.all([application.stop(), api.close(), script.stop()]));
  return [
    {
      what: 'outbound calls, POST /v1/calls, answered, ended  vs  a bare script',
      ours: ours?.rate ?? null,
      baseline: bare?.rate ?? null,
      unit: 'calls/s',
    },
    ...cpuRows('outbound', ours, bare),
  ];
}

async function stepOf(testBed: TestBed, source: Source, rate: number): Promise<Step> {
  const calls = rate * STEP_SECONDS;
  const callees = answer(testBed.sipp, { port: source.port, calls, limitSeconds: LIMIT_SECONDS });
  await callees.ready;
  const meter = new CpuMeter(source.processes);
  const startedMs = performance.now();
  const trouble = [await source.place(calls, rate)].filter((text) => text !== '');
  const seconds = (performance.now() - startedMs) / 1000;
  if (trouble.length > 0) callees.stop();
  const { successful, retransmissions } = await callees.done;
  if (successful < calls) trouble.push(`${successful} of ${calls} callees received a call`);
  if (retransmissions > calls / 100) trouble.push(`${retransmissions} retransmissions`);
  if (seconds > STEP_SECONDS + LATE_SECONDS) trouble.push(`took ${seconds.toFixed(1)} s`);
  const cpu = meter.read();
  await testBed.quiet();
  return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu };
}

function placeThroughApi(application: Application, api: Api): Source['place'] {
  const place = (): Promise<unknown> => api.post('/v1/calls', { to: CALLEE, caller_id_number: CALLER });
  return async (calls, callsPerSecond) => {
    const since = new Date();
    const failed = await paced(calls, callsPerSecond, place);
    return failed > 0 ? `${failed} requests were refused` : missingOf(application, calls, since);
  };
}
