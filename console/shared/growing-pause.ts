const FIRST_MS = 1_000;

/** The pauses between attempts of a page to reach the platform: each is twice as long as the one before. */
export class GrowingPause {
  #ms = FIRST_MS;

  constructor(private readonly longestMs: number) {}

  /** The next pause in ms, up to a half shorter or longer, so that pages do not come all at once. */
  next(): number {
    const ms = this.#ms * (0.5 + Math.random());
    this.#ms = Math.min(this.longestMs, this.#ms * 2);
    return ms;
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#ms = FIRST_MS;
  }
}
