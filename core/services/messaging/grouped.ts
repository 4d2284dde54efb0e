interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does work for many items at once: what arrives while a group is worked on is the next group. So a lone item waits for
 * nobody, and under load one transaction takes hundreds.
 */
export class Grouped<T> {
  readonly #waiting: Waiting<T>[] = [];
  #running: Promise<void> | null = null;

  constructor(
    private readonly work: (items: readonly T[]) => Promise<void>,
    private readonly most: number,
  ) {}

  /** Resolves when the work of the item's group is done. @throws what the work throws */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.most);
      try {
        await this.work(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    // At once: what is added from here on begins a new run.
    this.#running = null;
  }
}
