/** Limits concurrency: runs up to `atOnce` tasks, queues up to `waiting` more in order, and rejects the rest. */
export class Gate {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly waiting: number,
  ) {}

  /** @returns the task's promise, or null if the queue is full */
  enter<T>(work: () => Promise<T>): Promise<T> | null {
    if (this.#running >= this.atOnce && this.#queue.length >= this.waiting) return null;
    return this.#run(work);
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.atOnce) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // Pass the slot to the next task in the queue, or free it.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
