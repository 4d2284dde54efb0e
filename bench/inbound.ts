import { startApplication } from './lib/application.js';
import { Child } from './lib/child.js';
import { climbTogether, LATE_SECONDS, STEP_SECONDS, type Step } from './lib/climb.js';
import { CpuMeter } from './lib/cpu.js';
import type { Ground } from './lib/ground.js';
import { pinned } from './lib/pinning.js';
import { ariEnvironment, cpuRows, say } from './lib/report.js';
import { missingOf } from './lib/settled.js';
import { call } from './lib/sipp.js';
import type { Row } from './lib/table.js';

/** What is called, by whom, and how it is known that all of it was recorded. */
interface Target {
  readonly name: string;
  readonly port: number;
  readonly number: string;
  readonly firstRate: number;
  readonly isOurs: boolean;
  readonly processes: Readonly<Record<string, number>>;
  /** Resolves with what was not recorded of so many calls since then, or an empty text. */
  readonly missing: (calls: number, since: Date) => Promise<string>;
}

/** Calls a second that are answered and hung up: by the platform with everything it records, by a bare script, by the engine alone. */
export function run(ground: Ground): Promise<Row[]> {
  const { asterisk, postgres, redis } = ground.parts;
  return pinned(asterisk.pid, [postgres.pid, redis.pid], () => compare(ground));
}

async function compare(ground: Ground): Promise<Row[]> {
  const { asterisk, postgres, redis } = ground.parts;
  const application = await startApplication(ground);
  const script = await Child.start('baselines/ari-answer.ts', ariEnvironment(ground));
  const engine = { asterisk: asterisk.pid };
  const nothing = (): Promise<string> => Promise.resolve('');
  const targets: readonly Target[] = [
    {
      name: 'Hatif',
      port: ground.ports.trunk,
      number: application.line,
      firstRate: 100,
      isOurs: true,
      processes: { ...engine, application: application.pid, postgres: postgres.pid, redis: redis.pid },
      missing: (calls, since) => missingOf(application, calls, since),
    },
    {
      name: 'bare ARI script',
      port: ground.ports.bare,
      number: application.line,
      firstRate: 100,
      isOurs: false,
      processes: { ...engine, application: script.pid },
      missing: nothing,
    },
    {
      name: 'plain dialplan',
      port: ground.ports.plain,
      number: application.line,
      firstRate: 200,
      isOurs: false,
      processes: engine,
      missing: nothing,
    },
  ];
  const [ours = null, bare = null, plain = null] = await climbTogether(
    targets.map((target) => ({
      ...target,
      run: (rate) => {
        const step = (): Promise<Step> => stepOf(ground, target, rate);
        return target.isOurs ? step() : ground.withoutPlatform(step);
      },
    })),
    say,
  ).finally(() => Promise.all([application.stop(), script.stop()]));
  return [
    {
      what: 'inbound calls, answered, hung up, recorded  vs  a bare ARI script',
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

async function stepOf(ground: Ground, target: Target, rate: number): Promise<Step> {
  const calls = rate * STEP_SECONDS;
  const since = new Date();
  const meter = new CpuMeter(target.processes);
  const result = await call(ground.sipp, {
    port: target.port,
    remote: ground.sip,
    number: target.number,
    calls,
    callsPerSecond: rate,
    limitSeconds: STEP_SECONDS + 4,
  }).done;
  const trouble = [];
  if (result.successful < calls) trouble.push(`${calls - result.successful} of ${calls} calls failed`);
  if (result.retransmissions > calls / 100) trouble.push(`${result.retransmissions} retransmissions`);
  if (result.seconds > STEP_SECONDS + LATE_SECONDS) trouble.push(`took ${result.seconds.toFixed(1)} s`);
  const missing = trouble.length === 0 ? await target.missing(calls, since) : '';
  if (missing !== '') trouble.push(missing);
  const cpu = meter.read();
  await ground.quiet();
  return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu };
}
