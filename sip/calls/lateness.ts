/** What waits longer is late: soon its sender would repeat it (RFC 3261 §17.1.1.1). */
const LATE_MS = 250;
/** Nothing was in time for this long: the work grows faster than it is done. */
const SUSTAINED_MS = 1_000;
/** After this time without anything late, the overload is over. */
const CALM_MS = 5_000;

/**
 * Decides when waiting means overload. One slow moment does not: only if nothing was in time for a second, what is late
 * is refused, until nothing has been late for five (the idea of CoDel, RFC 8289).
 */
export class Lateness {
  #isOverloaded = false;
  #seenMs = -Infinity;
  #lateSinceMs: number | null = null;
  #lastLateMs = -Infinity;

  constructor(private readonly monotonicMs: () => number) {}

  /** Notes how long something waited. @returns whether it is to be refused */
  note(waitedMs: number): boolean {
    const now = this.monotonicMs();
    // What was late long ago says nothing about the time since.
    if (now - this.#seenMs > SUSTAINED_MS) this.#lateSinceMs = null;
    if (now - this.#lastLateMs > CALM_MS) this.#isOverloaded = false;
    this.#seenMs = now;
    if (waitedMs <= LATE_MS) {
      this.#lateSinceMs = null;
      return false;
    }
    this.#lateSinceMs ??= now;
    this.#lastLateMs = now;
    if (now - this.#lateSinceMs >= SUSTAINED_MS) this.#isOverloaded = true;
    return this.#isOverloaded;
  }
}
