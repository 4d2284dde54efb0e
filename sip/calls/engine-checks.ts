import { hostPort, type HostPort } from '../../core/model/host-port.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';

/** An engine that does not answer OPTIONS within this time is passed over. */
const ALIVE_WITHIN_MS = 400;
/** How long an answer counts: at a high rate of calls, not each of them asks. */
const COUNTS_FOR_MS = 100;

/**
 * - `ready`: it answers at once
 * - `late`: it answers, but has so much to do that another call would make it later
 * - `silent`: it does not answer in time
 */
export type EngineState = 'ready' | 'late' | 'silent';

export interface EngineChecksOptions {
  readonly probe: SipProbe;
  readonly monotonicMs: () => number;
  /** An answer that takes longer is late. */
  readonly lateMs: number;
}

/** Asks engines whether they can take a call. */
export class EngineChecks {
  /** When an engine last answered, and whether late, by its address. */
  readonly #answered = new Map<string, { readonly atMs: number; readonly state: 'ready' | 'late' }>();

  constructor(private readonly options: EngineChecksOptions) {}

  async stateOf({ host, port }: HostPort): Promise<EngineState> {
    const { probe, monotonicMs, lateMs } = this.options;
    const key = hostPort({ host, port });
    const askedMs = monotonicMs();
    const last = this.#answered.get(key);
    if (last !== undefined && askedMs - last.atMs < COUNTS_FOR_MS) return last.state;
    if (!(await probe.probe(host, port, ALIVE_WITHIN_MS))) return 'silent';
    const atMs = monotonicMs();
    const state = atMs - askedMs > lateMs ? 'late' : 'ready';
    this.#answered.set(key, { atMs, state });
    return state;
  }
}
