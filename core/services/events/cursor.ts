import { lowestIdAt, timeOfId } from '../../model/ids.js';

/** An event is committed a little after its id was made, so one with a lower id may still come: so far back is looked again. */
const LATE_MS = 60_000;

/** How far a follower has come in a project's events. */
export class EventCursor {
  readonly #seen = new Set<string>();
  #begun = false;
  /** Everything after it is looked at again, while an outage is being caught up with. */
  #floor: string | null = null;

  /** @param lastId everything after it is new. */
  constructor(private last: string) {}

  get lastId(): string {
    return this.last;
  }

  /** Ids after this one may belong to events that come late. */
  get lookBackFrom(): string {
    const usual = lateFrom(timeOfId(this.last));
    return this.#floor !== null && this.#floor < usual ? this.#floor : usual;
  }

  /** Events that were made since then may still come, however late: they waited for the database. Null: none do any more. */
  expectHeldBack(since: Date | null): void {
    if (since === null) {
      this.#floor = null;
    } else if (this.#floor === null) {
      const floor = lateFrom(since);
      const known = this.lookBackFrom;
      // What was seen before that is forgotten already.
      this.#floor = this.#begun && known > floor ? known : floor;
    }
  }

  /**
   * Which of these ids are new, lowest first.
   * @param ids newest first. At the first time those up to the start were there before and count as seen.
   */
  unseen(ids: readonly string[]): string[] {
    if (!this.#begun) for (const id of ids.toReversed()) if (id <= this.last) this.#seen.add(id);
    this.#begun = true;
    return ids.filter((id) => !this.#seen.has(id)).toReversed();
  }

  see(id: string): void {
    this.#seen.add(id);
    if (id <= this.last) return;
    this.last = id;
    const oldest = this.lookBackFrom;
    // Kept in the order in which they were seen, which is nearly that of the ids: what is too old stands in front.
    for (const seen of this.#seen) {
      if (seen >= oldest) break;
      this.#seen.delete(seen);
    }
  }
}

function lateFrom(time: Date): string {
  return lowestIdAt(new Date(time.getTime() - LATE_MS));
}
