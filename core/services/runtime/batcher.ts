import { setTimeout as pause } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Collects items while the previous round trip is running, and processes them together: many small database queries
 * become few.
 * @param run returns one result for each item, in the same order; nothing if there are no results. What it throws rejects
 * each item of the batch.
 * @param gatherMs how long a batch that is not full waits for more items; 0 is the rest of the event loop's turn for the
 * first one, and no wait for those that follow it.
 */
export class Batcher<Item, Result = undefined> {
  #waiting: Waiting<Item, Result>[] = [];
  #running = false;

  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[] | undefined>,
    private readonly maxItems: number,
    private readonly gatherMs = 0,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      if (this.gatherMs === 0) setImmediate(() => void this.#runAll());
      else void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.gatherMs > 0 && this.#waiting.length < this.maxItems) await pause(this.gatherMs);
      const batch = this.#waiting.splice(0, this.maxItems);
      try {
        const results = await this.run(batch.map(({ item }) => item));
        batch.forEach((waiting, index) => waiting.resolve(results?.[index] as Result));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#running = false;
  }
}
