import type { ClaimedDelivery } from '../../data/repositories/webhooks/webhook-lanes.js';

/** The state of one lane in this process. */
export class Lane {
  /** Deliveries that are claimed and wait for a free request slot. */
  readonly queue: ClaimedDelivery[] = [];
  /** Number of running requests. */
  requests = 0;
  /** Number of deliveries that are claimed and whose result is not stored yet. */
  unstored = 0;
  /** Number of deliveries that the last claim requested. */
  claimSize = 0;
  /** Whether the last claim got all it requested, so that more may be due. */
  hasMore = false;
  /** How many times as many deliveries as there are concurrent requests are claimed ahead of them. */
  ahead = 0;
  #signalled = false;
  #waiting: (() => void) | null = null;

  constructor(readonly name: string) {}

  /** Signals a wake-up, or that a delivery's result was stored. */
  signal(): void {
    this.#signalled = true;
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Whether there was a signal since the last call. */
  takeSignal(): boolean {
    const signalled = this.#signalled;
    this.#signalled = false;
    return signalled;
  }

  /** Resolves at the next signal. */
  nextSignal(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
