import type { Application } from './application.js';
import { CpuMeter } from './cpu.js';
import type { SipPeer } from './engine.js';
import { recordedOf } from './settled.js';
import { offer } from './sipp.js';
import type { TestBed } from './test-bed.js';

/** Calls are offered at this multiple of the highest clean rate. */
export const OVERLOAD = 2;
export const ROUNDS = 3;
/** The limit, as a share of the highest clean rate: refusing a call also costs something. */
export const ADMITTED = 0.95;
const OVERLOAD_SECONDS = 4;
/** For the edge, which refuses at little cost: in a short time, the calls that end last would count for too much. */
export const LONG_SECONDS = 10;

/** The result of offering more calls than the platform takes. */
export interface Outcome {
  /** Calls per second that were answered, hung up and recorded in the database. */
  readonly goodput: number;
  /** Mean time from INVITE to refusal; null if no call was refused. */
  readonly refusalMs: number | null;
  /** CPU time of the engine for each answered call, refusals included; null if no call was answered. */
  readonly engineMs: number | null;
}

/** Offers calls at one rate. @param what is offered, for the log */
export async function overloaded(
  testBed: TestBed,
  application: Application,
  peer: SipPeer,
  rate: number,
  what: string,
  overloadSeconds = OVERLOAD_SECONDS,
): Promise<Outcome> {
  const calls = rate * overloadSeconds;
  const since = new Date();
  const meter = new CpuMeter({ engine: peer.pid });
  const { successful, refused, refusalMs, retransmissions, seconds } = await offer(testBed.sipp, {
    port: peer.port,
    remote: peer.sip,
    number: application.line,
    calls,
    callsPerSecond: rate,
    limitSeconds: overloadSeconds + 6,
  }).done;
  const answered = successful - refused;
  const recorded = await recordedOf(application, answered, since);
  const { engine = 0 } = meter.read();
  await testBed.quiet();
  // A generator that falls behind offers calls more slowly, and the last calls end after it: all of this time counts.
  const goodput = Math.min(answered, recorded) / seconds;
  console.log(
    `  ${rate}/s for ${seconds.toFixed(1)} s, ${what}: ${answered} answered and hung up, ${recorded} recorded, ` +
      `${refused} refused after ${refusalMs ?? '-'} ms, ${calls - successful} failed, ` +
      `${retransmissions} retransmissions: ${goodput.toFixed(0)} succeeded per second`,
  );
  return { goodput, refusalMs, engineMs: answered === 0 ? null : engine / answered };
}
