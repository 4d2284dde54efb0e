import type { ClaimedDelivery } from '../../data/repositories/webhooks/webhook-lanes.js';

/** What one lane is doing in this process. */
export class Lane {
  /** Claimed, and waiting for a place among the requests. */
  readonly queue: ClaimedDelivery[] = [];
  /** Requests under way. */
  requests = 0;
  /** Claimed, and not settled yet. */
  unsettled = 0;
  /** Deliveries that the last claim asked for. */
  asked = 0;
  /** Whether the last claim got all it asked for: more is waiting. */
  hasMore = false;
  /** Whether the receiver took little time for the last request. */
  isFast = false;
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
