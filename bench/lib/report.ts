import type { Best, Step } from './climb.js';
import type { Application } from './application.js';
import type { TestBed } from './test-bed.js';
import type { Row } from './table.js';

const PROCESSES = { application: 'application', postgres: 'PostgreSQL', redis: 'Redis', engine: 'the engine' } as const;

/** The processes that spend CPU time on a call of the platform. */
export function oursOf({ engine, parts }: TestBed, application: Application): Readonly<Record<string, number>> {
  const { postgres, redis } = parts;
  return { engine: engine.peers.trunk.pid, application: application.pid, postgres: postgres.pid, redis: redis.pid };
}

export function say(name: string, step: Step): void {
  const cpu = Object.entries(step.cpu).map(([process, ms]) => `${process} ${(ms / step.calls).toFixed(2)}`);
  console.log(
    `  ${name}: ${step.rate}/s ${step.clean ? 'clean' : `not clean (${step.trouble})`}; ` +
      `CPU ms per call: ${cpu.join(', ')}`,
  );
}

/** CPU time per call, at the highest clean rate of each. */
export function cpuRows(direction: string, ours: Best, bare: Best): Row[] {
  const perCall = (step: Best, process: string): number | null => {
    const ms = step?.cpu[process];
    return step === null || ms === undefined ? null : ms / step.calls;
  };
  const application = perCall(ours, 'application');
  const database = perCall(ours, 'postgres');
  return [
    {
      what: `CPU of an ${direction} call: application + PostgreSQL  vs  the engine`,
      ours: application === null || database === null ? null : application + database,
      baseline: perCall(ours, 'engine'),
      unit: 'ms/call',
      goal: { ratio: 1, better: 'lower' },
    },
    ...Object.entries(PROCESSES).map(([process, title]) => ({
      what: `    ${title}  vs  the same with the bare script`,
      ours: perCall(ours, process),
      baseline: perCall(bare, process),
      unit: 'ms/call',
    })),
  ];
}
