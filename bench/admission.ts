import { startApplication, type Application } from './lib/application.js';
import { climbTogether } from './lib/climb.js';
import { UNLIMITED } from './lib/engine.js';
import type { TestBed } from './lib/test-bed.js';
import { inboundStep } from './lib/inbound-step.js';
import { median } from './lib/median.js';
import { pinned } from './lib/pinning.js';
import { oursOf, say } from './lib/report.js';
import { ADMITTED, OVERLOAD, overloaded, ROUNDS, type Outcome } from './lib/overload.js';
import type { Row } from './lib/table.js';
import { behindEdge } from './admission-edge.js';

/**
 * Measures the highest clean rate of inbound calls, and how many calls succeed when twice as many are offered: with
 * admission control of the engine, without any, and behind the SIP edge, which refuses calls before the engine.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const rows = await pinned(testBed, async () => {
    const application = await startApplication(testBed);
    try {
      return await measure(testBed, application);
    } finally {
      await application.stop();
    }
  });
  return [...rows, ...(await behindEdge(testBed))];
}

async function measure(testBed: TestBed, application: Application): Promise<Row[]> {
  await testBed.engine.limit(UNLIMITED);
  const [best = null] = await climbTogether(
    [
      {
        name: 'highest clean rate',
        firstRate: 100,
        run: (rate) => inboundStep(testBed, oursAt(testBed, application), rate),
      },
    ],
    say,
  );
  const cleanRate = best?.rate ?? null;
  const peer = testBed.engine.peers.trunk;
  const limited: Outcome[] = [];
  const unlimited: Outcome[] = [];
  if (cleanRate !== null) {
    await testBed.engine.limit(Math.floor(cleanRate * ADMITTED));
    for (let round = 0; round < ROUNDS; round += 1)
      limited.push(await overloaded(testBed, application, peer, cleanRate * OVERLOAD, 'with admission control'));
    // Last: calls that an unlimited round leaves behind would spoil the limited rounds.
    await testBed.engine.limit(UNLIMITED);
    unlimited.push(await overloaded(testBed, application, peer, cleanRate * OVERLOAD, 'without'));
  }
  const goodput = (outcomes: readonly Outcome[]): number | null => median(outcomes.map((outcome) => outcome.goodput));
  return [
    {
      what: 'calls that succeed at twice the highest clean rate  vs  that rate',
      ours: goodput(limited),
      baseline: cleanRate,
      unit: 'calls/s',
      goal: { ratio: 0.9, better: 'higher' },
    },
    {
      what: '    the same without admission control',
      ours: goodput(unlimited),
      baseline: cleanRate,
      unit: 'calls/s',
    },
    {
      what: '    mean time until a call is refused',
      ours: median(limited.flatMap(({ refusalMs }) => refusalMs ?? [])),
      baseline: null,
      unit: 'ms',
    },
  ];
}

function oursAt(testBed: TestBed, application: Application): Parameters<typeof inboundStep>[1] {
  return {
    peer: testBed.engine.peers.trunk,
    number: application.line,
    processes: oursOf(testBed, application),
    application,
  };
}
