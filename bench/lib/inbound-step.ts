import type { Application } from './application.js';
import { LATE_SECONDS, STEP_SECONDS, type Step } from './climb.js';
import { CpuMeter } from './cpu.js';
import type { Door } from './engine.js';
import type { Ground } from './ground.js';
import { missingOf } from './settled.js';
import { call } from './sipp.js';

/** What is called, by whom, and how it is known that all of it was recorded. */
export interface InboundTarget {
  readonly door: Door;
  readonly number: string;
  readonly processes: Readonly<Record<string, number>>;
  /** Where each call must be recorded; null where nothing is. */
  readonly application: Application | null;
}

/** Calls in at one rate, each answered and hung up. */
export async function inboundStep(ground: Ground, target: InboundTarget, rate: number): Promise<Step> {
  const calls = rate * STEP_SECONDS;
  const since = new Date();
  const meter = new CpuMeter(target.processes);
  const result = await call(ground.sipp, {
    port: target.door.port,
    remote: target.door.sip,
    number: target.number,
    calls,
    callsPerSecond: rate,
    limitSeconds: STEP_SECONDS + 4,
  }).done;
  const trouble = [];
  if (result.successful < calls) trouble.push(`${calls - result.successful} of ${calls} calls failed`);
  if (result.retransmissions > calls / 100) trouble.push(`${result.retransmissions} retransmissions`);
  if (result.seconds > STEP_SECONDS + LATE_SECONDS) trouble.push(`took ${result.seconds.toFixed(1)} s`);
  const isSuccess = trouble.length === 0 && target.application !== null;
  const missing = isSuccess ? await missingOf(target.application, calls, since) : '';
  if (missing !== '') trouble.push(missing);
  const cpu = meter.read();
  await ground.quiet();
  return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu };
}
