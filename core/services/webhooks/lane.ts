/** What one lane is doing in this process. */
export class Lane {
  /** Deliveries under way. */
  inFlight = 0;
  #stirred = false;
  #waiting: (() => void) | null = null;

  constructor(readonly name: string) {}

  /** Something happened: a wake-up, or a delivery was settled. */
  stir(): void {
    this.#stirred = true;
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Whether something happened since this was asked last. */
  takeStir(): boolean {
    const stirred = this.#stirred;
    this.#stirred = false;
    return stirred;
  }

  /** Resolves when something happens next. */
  stirring(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
