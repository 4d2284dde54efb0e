/** Lets so many pieces of work run at once, keeps so many waiting in order, and turns the rest away. */
export class Gate {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly waiting: number,
  ) {}

  /** @returns the work's own promise, or null when too many wait already. */
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
      // The place goes to the next in the queue, or becomes free.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
