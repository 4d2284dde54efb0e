import { Agent, request, type Dispatcher } from 'undici';
import { startApplication, type Application } from './lib/application.js';
import { CpuMeter } from './lib/cpu.js';
import type { TestBed } from './lib/test-bed.js';
import type { Row } from './lib/table.js';

const STREAMS = 2000;
const AT_ONCE = 50;
const SECONDS = 15;

interface Measured {
  readonly transactions: number;
  readonly cpuMs: number;
}

/** Measures what idle event streams of one project cost, beside the same application without streams. */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed, { environment: { EVENT_STREAMS_PER_KEY: String(STREAMS) } });
  const agent = new Agent({ bodyTimeout: 0, connections: null });
  try {
    const without = await measure(application);
    const streams: Dispatcher.ResponseData[] = [];
    while (streams.length < STREAMS) {
      streams.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => open(application, agent)))));
    }
    const idle = await measure(application);
    return [
      {
        what: `${STREAMS} idle event streams of one project  vs  none`,
        ours: idle.transactions,
        baseline: without.transactions,
        unit: 'transactions/s',
        goal: { max: Math.ceil(without.transactions) + 5 },
      },
      {
        what: '    CPU of the application',
        ours: idle.cpuMs,
        baseline: without.cpuMs,
        unit: 'ms/s',
      },
    ];
  } finally {
    await agent.destroy();
    await application.stop();
  }
}

async function open({ url, key }: Application, agent: Agent): Promise<Dispatcher.ResponseData> {
  const response = await request(`${url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}` },
    dispatcher: agent,
  });
  if (response.statusCode !== 200) throw new Error(`a stream was answered with ${response.statusCode}`);
  // Closing the connections at the end makes the bodies fail.
  response.body.on('error', () => undefined).resume();
  return response;
}

async function measure({ db, pid }: Application): Promise<Measured> {
  const committed = async (): Promise<number> => {
    const { rows } = await db.query<{ committed: string }>(
      'SELECT sum(xact_commit) AS committed FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.committed);
  };
  // Sessions report their figures with a delay of up to a second.
  await elapse(2000);
  const before = await committed();
  const meter = new CpuMeter({ application: pid });
  await elapse(SECONDS * 1000);
  const cpuMs = (meter.read().application ?? 0) / SECONDS;
  const transactions = ((await committed()) - before) / SECONDS;
  console.log(`  ${transactions.toFixed(1)} transactions/s, CPU ${cpuMs.toFixed(1)} ms/s`);
  return { transactions, cpuMs };
}

function elapse(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
