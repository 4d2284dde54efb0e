import { startApplication, type Application } from './lib/application.js';
import { climbTogether } from './lib/climb.js';
import { UNLIMITED } from './lib/engine.js';
import type { TestBed } from './lib/test-bed.js';
import { inboundStep } from './lib/inbound-step.js';
import { median } from './lib/median.js';
import { pinned } from './lib/pinning.js';
import { oursOf, say } from './lib/report.js';
import { recordedOf } from './lib/settled.js';
import { offer } from './lib/sipp.js';
import type { Row } from './lib/table.js';

const OVERLOAD = 2;
const OVERLOAD_SECONDS = 4;
const ROUNDS = 3;
/** The limit, as a share of the highest clean rate: refusing a call also costs the engine something. */
const ADMITTED = 0.95;

/** The result of offering calls at {@link OVERLOAD} times the highest clean rate. */
interface Outcome {
  /** Calls per second that were answered, hung up and recorded in the database. */
  readonly goodput: number;
  /** Mean time from INVITE to refusal; null if no call was refused. */
  readonly refusalMs: number | null;
}

/**
 * Measures the highest clean rate of inbound calls, and how many calls succeed when twice as many are offered, with and
 * without admission control.
 */
export function run(testBed: TestBed): Promise<Row[]> {
  return pinned(testBed, async () => {
    const application = await startApplication(testBed);
    try {
      return await measure(testBed, application);
    } finally {
      await application.stop();
    }
  });
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
  const limited: Outcome[] = [];
  const unlimited: Outcome[] = [];
  if (cleanRate !== null) {
    await testBed.engine.limit(Math.floor(cleanRate * ADMITTED));
    for (let round = 0; round < ROUNDS; round += 1)
      limited.push(await overloaded(testBed, application, cleanRate * OVERLOAD, 'with admission control'));
    // Last: calls that an unlimited round leaves behind would spoil the limited rounds.
    await testBed.engine.limit(UNLIMITED);
    unlimited.push(await overloaded(testBed, application, cleanRate * OVERLOAD, 'without'));
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

async function overloaded(testBed: TestBed, application: Application, rate: number, what: string): Promise<Outcome> {
  const peer = testBed.engine.peers.trunk;
  const calls = rate * OVERLOAD_SECONDS;
  const since = new Date();
  const { successful, refused, refusalMs, retransmissions, seconds } = await offer(testBed.sipp, {
    port: peer.port,
    remote: peer.sip,
    number: application.line,
    calls,
    callsPerSecond: rate,
    limitSeconds: OVERLOAD_SECONDS + 6,
  }).done;
  const answered = successful - refused;
  const recorded = await recordedOf(application, answered, since);
  await testBed.quiet();
  // A generator that falls behind offers calls more slowly, and the last calls end after it: all of this time counts.
  const goodput = Math.min(answered, recorded) / seconds;
  console.log(
    `  ${rate}/s for ${seconds.toFixed(1)} s, ${what}: ${answered} answered and hung up, ${recorded} recorded, ` +
      `${refused} refused after ${refusalMs ?? '-'} ms, ${calls - successful} failed, ` +
      `${retransmissions} retransmissions: ${goodput.toFixed(0)} succeeded per second`,
  );
  return { goodput, refusalMs };
}
