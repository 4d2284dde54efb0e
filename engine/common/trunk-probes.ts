import type { Clock } from '../../core/ports/clock.js';
import type { TrunkState } from '../../core/model/trunks/state.js';

/** The default interval between two probes of a trunk. */
export const TRUNK_PROBE_SECONDS = 30;

/**
 * Interprets what an engine says about its trunks. An engine calls a trunk unreachable before it has sent the first
 * probe, so until the first result is due such a trunk is unknown.
 */
export class TrunkProbes {
  /** When each trunk was first pushed; null once an answer was seen or the first result was due. */
  readonly #since = new Map<string, number | null>();

  /** @param firstResultMs when the result of the first probe is certainly there, counted from the push */
  constructor(
    private readonly clock: Clock,
    private readonly firstResultMs: number,
  ) {}

  /** Call this when the trunk is pushed; a repeat changes nothing. */
  began(trunkId: string): void {
    if (!this.#since.has(trunkId)) this.#since.set(trunkId, this.clock.monotonicMs());
  }

  forget(trunkId: string): void {
    this.#since.delete(trunkId);
  }

  /** The engine restarted: it probes every trunk from the beginning. */
  restart(): void {
    for (const trunkId of this.#since.keys()) this.#since.set(trunkId, this.clock.monotonicMs());
  }

  /** @param answers whether the engine calls the trunk reachable; null if it does not know the trunk */
  stateOf(trunkId: string, answers: boolean | null): TrunkState {
    const since = this.#since.get(trunkId);
    if (since === undefined || answers === null) return 'unknown';
    const isEarly = since !== null && this.clock.monotonicMs() - since < this.firstResultMs;
    if (!answers && isEarly) return 'unknown';
    this.#since.set(trunkId, null);
    return answers ? 'up' : 'down';
  }
}
