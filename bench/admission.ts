import { startApplication, type Application } from './lib/application.js';
import { climbTogether } from './lib/climb.js';
import { UNLIMITED } from './lib/engine.js';
import type { Ground } from './lib/ground.js';
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
/** So much of the edge is admitted: what is refused costs the engine something too. */
const ADMITTED = 0.95;

/** What became of calls that were offered at twice the edge. */
interface Outcome {
  /** Calls a second that were answered, hung up and recorded. */
  readonly goodput: number;
  readonly refusalMs: number | null;
}

/** The highest clean rate of calls in, and how many calls succeed when twice as many are offered: with admission control, and without. */
export function run(ground: Ground): Promise<Row[]> {
  return pinned(ground, async () => {
    const application = await startApplication(ground);
    try {
      return await measure(ground, application);
    } finally {
      await application.stop();
    }
  });
}

async function measure(ground: Ground, application: Application): Promise<Row[]> {
  await ground.engine.limit(UNLIMITED);
  const [best = null] = await climbTogether(
    [{ name: 'the edge', firstRate: 100, run: (rate) => inboundStep(ground, oursAt(ground, application), rate) }],
    say,
  );
  const edge = best?.rate ?? null;
  const limited: Outcome[] = [];
  const unlimited: Outcome[] = [];
  if (edge !== null) {
    await ground.engine.limit(Math.floor(edge * ADMITTED));
    for (let round = 0; round < ROUNDS; round += 1)
      limited.push(await overloaded(ground, application, edge * OVERLOAD, 'with admission control'));
    // At the end: what it leaves behind would spoil the others.
    await ground.engine.limit(UNLIMITED);
    unlimited.push(await overloaded(ground, application, edge * OVERLOAD, 'without'));
  }
  const goodput = (outcomes: readonly Outcome[]): number | null => median(outcomes.map((outcome) => outcome.goodput));
  return [
    {
      what: 'calls that succeed when twice the edge is offered  vs  the edge',
      ours: goodput(limited),
      baseline: edge,
      unit: 'calls/s',
      goal: { ratio: 0.9, better: 'higher' },
    },
    {
      what: '    the same without admission control',
      ours: goodput(unlimited),
      baseline: edge,
      unit: 'calls/s',
    },
    {
      what: '    until a call is refused, mean',
      ours: median(limited.flatMap(({ refusalMs }) => refusalMs ?? [])),
      baseline: null,
      unit: 'ms',
    },
  ];
}

function oursAt(ground: Ground, application: Application): Parameters<typeof inboundStep>[1] {
  return {
    door: ground.engine.doors.trunk,
    number: application.line,
    processes: oursOf(ground, application),
    application,
  };
}

async function overloaded(ground: Ground, application: Application, rate: number, what: string): Promise<Outcome> {
  const door = ground.engine.doors.trunk;
  const calls = rate * OVERLOAD_SECONDS;
  const since = new Date();
  const { successful, refused, refusalMs, retransmissions, seconds } = await offer(ground.sipp, {
    port: door.port,
    remote: door.sip,
    number: application.line,
    calls,
    callsPerSecond: rate,
    limitSeconds: OVERLOAD_SECONDS + 6,
  }).done;
  const answered = successful - refused;
  const recorded = await recordedOf(application, answered, since);
  await ground.quiet();
  // A generator that falls behind offers less for longer, and the last calls end after it: all of it counts.
  const goodput = Math.min(answered, recorded) / seconds;
  console.log(
    `  ${rate}/s for ${seconds.toFixed(1)} s, ${what}: ${answered} answered and hung up, ${recorded} recorded, ${refused} refused after ` +
      `${refusalMs ?? '-'} ms, ${calls - successful} failed, ${retransmissions} retransmissions: ${goodput.toFixed(0)} a second succeeded`,
  );
  return { goodput, refusalMs };
}
