/**
 * One mailbox per key: tasks of one key run one after another in the order in which they were posted, tasks of different keys run
 * side by side. A task that fails is told to whoever posted it and does not stop the next.
 */
export class SerialExecutor {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Run the task after all earlier ones of the key; resolves or rejects with its result. */
  post<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const run = before.then(task, task);
    this.#tails.set(key, run);
    const forget = (): void => {
      if (this.#tails.get(key) === run) this.#tails.delete(key);
    };
    run.then(forget, forget);
    return run;
  }

  /** Keys that have work waiting or running. */
  get size(): number {
    return this.#tails.size;
  }

  /** Resolves once nothing is waiting or running. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values());
  }
}
