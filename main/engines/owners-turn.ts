import type { Clock } from '../../core/ports/clock.js';
import { deadOwner } from './owner-name.js';

/** An owner renews its lease every three seconds, and may wait five for a connection to the database. */
const TURN_MS = 10_000;

/**
 * After a database outage that outlasted the leases, each owner gets the first chance to acquire its own engine again:
 * its journal holds what happened meanwhile, so the calls lose nothing.
 */
export class OwnersTurn {
  #outageAtMs = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** Must be called when the database was unavailable a moment ago. */
  noteOutage(): void {
    this.#outageAtMs = this.clock.monotonicMs();
  }

  /** True if the owner may be alive and is not the requesting process: the engine is then left to it. */
  isOf(owner: string | null, asking: string): boolean {
    if (this.clock.monotonicMs() - this.#outageAtMs > TURN_MS) return false;
    return owner !== null && owner !== asking && deadOwner(owner) === null;
  }
}
