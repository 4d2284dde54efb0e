const REPORTED_EVERY_MS = 3_000;

/** How long the other side's page shows that somebody is typing after it was reported. */
export const TYPING_SHOWN_MS = 5_000;

/** Reports that somebody is typing, not at each key. */
export class TypingReports {
  #reportedAt = 0;

  constructor(private readonly report: () => void) {}

  /** A key was pressed. */
  type(): void {
    if (Date.now() - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#reportedAt = Date.now();
    this.report();
  }

  /** A message was written, which ends the typing on the other side: the next key is reported at once. */
  end(): void {
    this.#reportedAt = 0;
  }
}
