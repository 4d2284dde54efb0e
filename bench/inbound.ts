import { startApplication } from './lib/application.js';
import { Child } from './lib/child.js';
import { climbTogether } from './lib/climb.js';
import type { Ground } from './lib/ground.js';
import { inboundStep, type InboundTarget } from './lib/inbound-step.js';
import { pinned } from './lib/pinning.js';
import { cpuRows, oursOf, say } from './lib/report.js';
import type { Row } from './lib/table.js';

interface Target extends InboundTarget {
  readonly name: string;
  readonly firstRate: number;
}

/** Calls a second that are answered and hung up: by the platform with everything it records, by a bare script, by the engine alone. */
export function run(ground: Ground): Promise<Row[]> {
  return pinned(ground, () => compare(ground));
}

async function compare(ground: Ground): Promise<Row[]> {
  const { engine } = ground;
  const { doors, numbers, scripts } = engine;
  const application = await startApplication(ground);
  const script = await Child.start(scripts.answer, scripts.environment);
  const targets: readonly Target[] = [
    {
      name: 'Hatif',
      door: doors.trunk,
      number: application.line,
      firstRate: 100,
      processes: oursOf(ground, application),
      application,
    },
    {
      name: 'bare script',
      door: doors.bare,
      number: numbers.bare,
      firstRate: 100,
      processes: { engine: doors.bare.pid, application: script.pid },
      application: null,
    },
    {
      name: 'plain dialplan',
      door: doors.plain,
      number: numbers.plain,
      firstRate: 200,
      processes: { engine: doors.plain.pid },
      application: null,
    },
  ];
  const [ours = null, bare = null, plain = null] = await climbTogether(
    targets.map((target) => ({
      ...target,
      run: (rate) => inboundStep(ground, target, rate),
    })),
    say,
  ).finally(() => Promise.all([application.stop(), script.stop()]));
  return [
    {
      what: 'inbound calls, answered, hung up, recorded  vs  a bare script',
      ours: ours?.rate ?? null,
      baseline: bare?.rate ?? null,
      unit: 'calls/s',
      goal: { ratio: 0.8, better: 'higher' },
    },
    {
      what: 'the same  vs  plain dialplan',
      ours: ours?.rate ?? null,
      baseline: plain?.rate ?? null,
      unit: 'calls/s',
      goal: { ratio: 0.4, better: 'higher' },
    },
    ...cpuRows('inbound', ours, bare),
  ];
}
