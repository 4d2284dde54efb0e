import { DrachtioHost, findDrachtio } from '../test/support/platform/drachtio.js';
import { startApplication, type Application } from './lib/application.js';
import { climbTogether, type Best } from './lib/climb.js';
import { UNLIMITED, type SipPeer } from './lib/engine.js';
import { inboundStep, type InboundTarget } from './lib/inbound-step.js';
import { median } from './lib/median.js';
import { ADMITTED, LONG_SECONDS, OVERLOAD, overloaded, ROUNDS, type Outcome } from './lib/overload.js';
import { oursOf, say } from './lib/report.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';

/**
 * The same behind the SIP edge, which alone refuses calls: the engine itself would take all of them. All processes share
 * all cores, as on a machine that has everything.
 */
export async function behindEdge(testBed: TestBed): Promise<Row[]> {
  const found = findDrachtio();
  if ('missing' in found) {
    console.log(`  not measured behind the edge: ${found.missing}`);
    return [];
  }
  const edge = await DrachtioHost.start();
  const peer: SipPeer = { ...testBed.engine.peers.trunk, sip: `127.0.0.1:${edge.sipPort}` };
  try {
    await testBed.engine.limit(UNLIMITED);
    const best = await withLimit(testBed, edge, UNLIMITED, (application) => clean(testBed, edge, application, peer));
    const limited: Outcome[] = [];
    if (best !== null) {
      await withLimit(testBed, edge, Math.floor(best.rate * ADMITTED), async (application) => {
        // A program that has just been started is compiled while it works.
        await inboundStep(testBed, targetOf(testBed, edge, application, peer), best.rate);
        for (let round = 0; round < ROUNDS; round += 1)
          limited.push(
            await overloaded(testBed, application, peer, best.rate * OVERLOAD, 'behind the edge', LONG_SECONDS),
          );
      });
    }
    return rowsOf(best, limited);
  } finally {
    await edge.stop();
  }
}

async function withLimit<T>(
  testBed: TestBed,
  edge: DrachtioHost,
  callsPerSecond: number,
  work: (application: Application) => Promise<T>,
): Promise<T> {
  const environment = {
    ...edge.settings,
    ASTERISK_SIP_ADDRESS: testBed.engine.peers.trunk.sip,
    MAX_CALLS_PER_SECOND: String(callsPerSecond),
  };
  const application = await startApplication(testBed, { environment });
  try {
    return await work(application);
  } finally {
    await application.stop();
  }
}

async function clean(testBed: TestBed, edge: DrachtioHost, application: Application, peer: SipPeer): Promise<Best> {
  const target = targetOf(testBed, edge, application, peer);
  const climber = {
    ...{ name: 'highest clean rate behind the edge', firstRate: 100 },
    // Queues that grow slowly are full after some seconds only.
    run: (rate: number) => inboundStep(testBed, target, rate, LONG_SECONDS),
  };
  const [best = null] = await climbTogether([climber], say);
  return best;
}

function targetOf(testBed: TestBed, edge: DrachtioHost, application: Application, peer: SipPeer): InboundTarget {
  const processes = { ...oursOf(testBed, application), edge: edge.pid };
  return { peer, number: application.line, processes, application };
}

function rowsOf(best: Best, limited: readonly Outcome[]): Row[] {
  const cleanMs = best === null ? null : (best.cpu.engine ?? 0) / best.calls;
  return [
    {
      what: 'behind the SIP edge: calls that succeed at twice the highest clean rate  vs  that rate',
      ours: median(limited.map(({ goodput }) => goodput)),
      baseline: best?.rate ?? null,
      unit: 'calls/s',
      goal: { ratio: 0.9, better: 'higher' },
    },
    {
      what: '    CPU of the engine for each call that succeeds, beside refused ones  vs  without them',
      ours: median(limited.flatMap(({ engineMs }) => engineMs ?? [])),
      baseline: cleanMs,
      unit: 'ms/call',
      goal: { ratio: 1.1, better: 'lower' },
    },
    {
      what: '    mean time until the edge refuses a call',
      ours: median(limited.flatMap(({ refusalMs }) => refusalMs ?? [])),
      baseline: null,
      unit: 'ms',
    },
  ];
}
