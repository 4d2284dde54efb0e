import type { Application } from './application.js';
import { LATE_SECONDS, STEP_SECONDS, type Step } from './climb.js';
import { CpuMeter } from './cpu.js';
import type { SipPeer } from './engine.js';
import type { TestBed } from './test-bed.js';
import { missingOf } from './settled.js';
import { call } from './sipp.js';

/** The target of inbound calls, and the processes to measure. */
export interface InboundTarget {
  readonly peer: SipPeer;
  readonly number: string;
  readonly processes: Readonly<Record<string, number>>;
  /** The application, whose database must contain each call; null if the target stores nothing. */
  readonly application: Application | null;
}

/** Makes inbound calls at one rate, each answered and hung up. */
export async function inboundStep(
  testBed: TestBed,
  target: InboundTarget,
  rate: number,
  stepSeconds = STEP_SECONDS,
): Promise<Step> {
  const calls = rate * stepSeconds;
  const since = new Date();
  const meter = new CpuMeter(target.processes);
  const result = await call(testBed.sipp, {
    port: target.peer.port,
    remote: target.peer.sip,
    number: target.number,
    calls,
    callsPerSecond: rate,
    limitSeconds: stepSeconds + 4,
  }).done;
  const trouble = [];
  if (result.successful < calls) trouble.push(`${calls - result.successful} of ${calls} calls failed`);
  if (result.retransmissions > calls / 100) trouble.push(`${result.retransmissions} retransmissions`);
  if (result.seconds > stepSeconds + LATE_SECONDS) trouble.push(`took ${result.seconds.toFixed(1)} s`);
  const isSuccess = trouble.length === 0 && target.application !== null;
  const missing = isSuccess ? await missingOf(target.application, calls, since) : '';
  if (missing !== '') trouble.push(missing);
  const cpu = meter.read();
  await testBed.quiet();
  return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu };
}
