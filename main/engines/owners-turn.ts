import type { Clock } from '../../core/ports/clock.js';
import { deadOwner } from './owner-name.js';

/** An owner renews its lease every three seconds, and may wait five for a connection to the database. */
const TURN_MS = 10_000;

/**
 * After an outage of the database that outlived the leases, each owner takes its own engine up again, before others ask for it: what
 * happened meanwhile stands in the owner's journal, and the calls miss nothing.
 */
export class OwnersTurn {
  #outageAtMs = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** The database was away just now. */
  noteOutage(): void {
    this.#outageAtMs = this.clock.monotonicMs();
  }

  /** Whether an engine with this owner is left to it: to one that may live, and is not the asking one itself. */
  isOf(owner: string | null, asking: string): boolean {
    if (this.clock.monotonicMs() - this.#outageAtMs > TURN_MS) return false;
    return owner !== null && owner !== asking && deadOwner(owner) === null;
  }
}
