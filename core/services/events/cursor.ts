import { lowestIdAt, timeOfId } from '../../model/ids.js';

/**
 * An event is committed shortly after its id was generated, so one with a lower id may still appear: ids this far back
 * are checked again.
 */
const LATE_MS = 60_000;

/** A follower's position in a project's events. */
export class EventCursor {
  readonly #seen = new Set<string>();
  #started = false;
  /** While an outage is being caught up with, every id after this one is checked again. */
  #floor: string | null = null;

  /** @param last every event after it is new. */
  constructor(private last: string) {}

  get lastId(): string {
    return this.last;
  }

  /** Ids after this one may belong to events that are committed late. */
  get lookBackFrom(): string {
    const recent = lateFrom(timeOfId(this.last));
    return this.#floor !== null && this.#floor < recent ? this.#floor : recent;
  }

  /**
   * Events generated since then may still be committed, however late, because they waited for the database. Null ends
   * this.
   */
  expectHeldBack(since: Date | null): void {
    if (since === null) {
      this.#floor = null;
    } else if (this.#floor === null) {
      const floor = lateFrom(since);
      const known = this.lookBackFrom;
      // Ids seen before that are already forgotten.
      this.#floor = this.#started && known > floor ? known : floor;
    }
  }

  /**
   * Returns the ids that have not been seen, lowest first.
   * @param ids newest first. At the first call, ids up to the start position count as seen.
   */
  unseen(ids: readonly string[]): string[] {
    if (!this.#started) for (const id of ids.toReversed()) if (id <= this.last) this.#seen.add(id);
    this.#started = true;
    return ids.filter((id) => !this.#seen.has(id)).toReversed();
  }

  see(id: string): void {
    this.#seen.add(id);
    if (id <= this.last) return;
    this.last = id;
    const oldest = this.lookBackFrom;
    // The set is in the order of seeing, which is nearly the order of ids: the oldest come first.
    for (const seen of this.#seen) {
      if (seen >= oldest) break;
      this.#seen.delete(seen);
    }
  }
}

function lateFrom(time: Date): string {
  return lowestIdAt(new Date(time.getTime() - LATE_MS));
}
