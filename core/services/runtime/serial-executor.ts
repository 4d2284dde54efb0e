/**
 * Runs tasks serially per key: tasks of one key run one after another in the order of posting, tasks of different keys
 * run concurrently. A task that fails rejects its own promise and does not stop the next one.
 */
export class SerialExecutor {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs the task after all earlier tasks of the key; resolves or rejects with its result. */
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

  /** Number of keys with waiting or running tasks. */
  get size(): number {
    return this.#tails.size;
  }

  /** Resolves when no task is waiting or running. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values());
  }
}
