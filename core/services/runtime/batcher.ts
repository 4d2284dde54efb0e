import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../data/errors.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<Item> {
  readonly maxItems: number;
  /**
   * How long a batch that is not full waits for more items. By default it is the rest of the event loop's turn for the
   * first one, and no wait for those that follow it.
   */
  readonly gatherMs?: number;
  /** Whether these items wait as long once more, after this number of pauses: so a batch grows while much happens. */
  readonly gathersMore?: (items: readonly Item[], pauses: number) => boolean;
  /**
   * Whether each item of a batch that failed is processed alone, so that one of them cannot make others fail; false by
   * default. Not while the database is unavailable.
   */
  readonly isolates?: boolean;
}

/**
 * Collects items while the previous round trip is running, and processes them together: many small database queries
 * become few.
 * @param run returns one result for each item, in the same order; nothing if there are no results. What it throws rejects
 * each item of the batch.
 */
export class Batcher<Item, Result = undefined> {
  #waiting: Waiting<Item, Result>[] = [];
  #running = false;

  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[] | undefined>,
    private readonly options: BatcherOptions<Item>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      if (this.options.gatherMs === undefined) setImmediate(() => void this.#runAll());
      else void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    const { maxItems, gatherMs } = this.options;
    while (this.#waiting.length > 0) {
      if (gatherMs !== undefined) await this.#gather(gatherMs);
      await this.#process(this.#waiting.splice(0, maxItems));
    }
    this.#running = false;
  }

  async #gather(ms: number): Promise<void> {
    const { maxItems, gathersMore } = this.options;
    let pauses = 0;
    while (this.#waiting.length < maxItems) {
      await pause(ms);
      pauses++;
      const items = this.#waiting.map(({ item }) => item);
      if (gathersMore?.(items, pauses) !== true) return;
    }
  }

  async #process(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      batch.forEach((waiting, index) => waiting.resolve(results?.[index] as Result));
    } catch (error) {
      const isIsolated = this.options.isolates === true && batch.length > 1 && !(error instanceof DatabaseUnavailable);
      if (isIsolated) for (const waiting of batch) await this.#process([waiting]);
      else for (const waiting of batch) waiting.reject(error);
    }
  }
}
