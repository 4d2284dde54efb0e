import type { Best, Step } from './climb.js';
import type { Ground } from './ground.js';
import type { Row } from './table.js';

const PROCESSES = { application: 'application', postgres: 'PostgreSQL', redis: 'Redis', asterisk: 'Asterisk' } as const;

/** How a baseline reaches the engine. */
export function ariEnvironment({ parts }: Ground): Readonly<Record<string, string>> {
  const { url, user, password } = parts.asterisk.ari;
  return { ARI_URL: url, ARI_USER: user, ARI_PASSWORD: password };
}

export function say(name: string, step: Step): void {
  const cpu = Object.entries(step.cpu).map(([process, ms]) => `${process} ${(ms / step.calls).toFixed(2)}`);
  console.log(
    `  ${name}: ${step.rate}/s ${step.clean ? 'clean' : `not clean (${step.trouble})`}; CPU ms a call: ${cpu.join(', ')}`,
  );
}

/** Processor time a call, at the highest clean rate of each. */
export function cpuRows(direction: string, ours: Best, bare: Best): Row[] {
  const perCall = (step: Best, process: string): number | null => {
    const ms = step?.cpu[process];
    return step === null || ms === undefined ? null : ms / step.calls;
  };
  const application = perCall(ours, 'application');
  const database = perCall(ours, 'postgres');
  return [
    {
      what: `CPU of an ${direction} call: application + PostgreSQL  vs  Asterisk`,
      ours: application === null || database === null ? null : application + database,
      baseline: perCall(ours, 'asterisk'),
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
