interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Collects items while the previous round trip is running, and processes them together: many small database queries
 * become few.
 * @param run returns one result for each item, in the same order.
 * @param gatherMs how long the first item waits for others; 0 is the rest of the event loop's turn.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #running = false;

  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly maxItems: number,
    private readonly gatherMs = 0,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      if (this.gatherMs === 0) setImmediate(() => void this.#runAll());
      else setTimeout(() => void this.#runAll(), this.gatherMs);
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.maxItems);
      try {
        const results = await this.run(batch.map(({ item }) => item));
        batch.forEach((waiting, index) => waiting.resolve(results[index] as Result));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#running = false;
  }
}
