import { hostPort, type HostPort } from '../../core/model/host-port.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';
import { Lateness } from './lateness.js';

/** An engine that does not answer OPTIONS within this time is passed over. */
const ALIVE_WITHIN_MS = 400;
/** How long an answer counts: at a high rate of calls, not each of them asks. */
const COUNTS_FOR_MS = 100;

/**
 * - `ready`: it answers at once
 * - `late`: it answers, but is overloaded: another call would make it later
 * - `silent`: it does not answer in time
 */
export type EngineState = 'ready' | 'late' | 'silent';

interface Answer {
  readonly atMs: number;
  readonly state: 'ready' | 'late';
  readonly lateness: Lateness;
}

export interface EngineChecksOptions {
  readonly probe: SipProbe;
  readonly monotonicMs: () => number;
}

/** Asks engines whether they can take a call. */
export class EngineChecks {
  /** The last answer of each engine, by its address. */
  readonly #answers = new Map<string, Answer>();

  constructor(private readonly options: EngineChecksOptions) {}

  async stateOf({ host, port }: HostPort): Promise<EngineState> {
    const { probe, monotonicMs } = this.options;
    const key = hostPort({ host, port });
    const askedMs = monotonicMs();
    const last = this.#answers.get(key);
    if (last !== undefined && askedMs - last.atMs < COUNTS_FOR_MS) return last.state;
    if (!(await probe.probe(host, port, ALIVE_WITHIN_MS))) return 'silent';
    const atMs = monotonicMs();
    const lateness = last?.lateness ?? new Lateness(monotonicMs);
    const state = lateness.note(atMs - askedMs) ? 'late' : 'ready';
    this.#answers.set(key, { atMs, state, lateness });
    return state;
  }
}
