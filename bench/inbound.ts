import { startApplication } from './lib/application.js';
import { Child } from './lib/child.js';
import { climbTogether } from './lib/climb.js';
import type { TestBed } from './lib/test-bed.js';
import { inboundStep, type InboundTarget } from './lib/inbound-step.js';
import { pinned } from './lib/pinning.js';
import { cpuRows, oursOf, say } from './lib/report.js';
import type { Row } from './lib/table.js';

interface Target extends InboundTarget {
  readonly name: string;
  readonly firstRate: number;
}

/**
 * Measures inbound calls per second that are answered and hung up: by the platform with everything that it records, by
 * a bare script, and by the engine alone.
 */
export function run(testBed: TestBed): Promise<Row[]> {
  return pinned(testBed, () => compare(testBed));
}

async function compare(testBed: TestBed): Promise<Row[]> {
  const { engine } = testBed;
  const { peers, numbers, scripts } = engine;
  const application = await startApplication(testBed);
  const script = await Child.start(scripts.answer, scripts.environment);
  const targets: readonly Target[] = [
    {
      name: 'Hatif',
      peer: peers.trunk,
      number: application.line,
      firstRate: 100,
      processes: oursOf(testBed, application),
      application,
    },
    {
      name: 'bare script',
      peer: peers.bare,
      number: numbers.bare,
      firstRate: 100,
      processes: { engine: peers.bare.pid, application: script.pid },
      application: null,
    },
    {
      name: 'plain dialplan',
      peer: peers.plain,
      number: numbers.plain,
      firstRate: 200,
      processes: { engine: peers.plain.pid },
      application: null,
    },
  ];
  const [ours = null, bare = null, plain = null] = await climbTogether(
    targets.map((target) => ({
      ...target,
      run: (rate) => inboundStep(testBed, target, rate),
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
