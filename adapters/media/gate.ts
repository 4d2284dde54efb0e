/**
 * Limits concurrency: runs up to `atOnce` tasks, queues up to `waiting` more, and rejects the rest. Groups take turns,
 * so that one with many tasks delays another by one task only; the tasks of a group run in order.
 */
export class Gate {
  #running = 0;
  #waiting = 0;
  /** The queue of each group that waits; the group whose turn is next comes first. */
  readonly #queues = new Map<string, (() => void)[]>();

  /** @param waitingPerGroup maximum number of queued tasks of one group */
  constructor(
    private readonly atOnce: number,
    private readonly waiting: number,
    private readonly waitingPerGroup = waiting,
  ) {}

  /** @returns the task's promise, or null if the queue is full */
  enter<T>(work: () => Promise<T>, group = ''): Promise<T> | null {
    const isFull = this.#waiting >= this.waiting || (this.#queues.get(group)?.length ?? 0) >= this.waitingPerGroup;
    if (this.#running >= this.atOnce && isFull) return null;
    return this.#run(work, group);
  }

  async #run<T>(work: () => Promise<T>, group: string): Promise<T> {
    if (this.#running >= this.atOnce) await this.#wait(group);
    else this.#running++;
    try {
      return await work();
    } finally {
      // Pass the slot to the next task in the queue, or free it.
      const next = this.#next();
      if (next) next();
      else this.#running--;
    }
  }

  #wait(group: string): Promise<void> {
    this.#waiting++;
    return new Promise((resolve) => {
      const queue = this.#queues.get(group);
      if (queue) queue.push(resolve);
      else this.#queues.set(group, [resolve]);
    });
  }

  #next(): (() => void) | undefined {
    for (const [group, queue] of this.#queues) {
      const next = queue.shift();
      this.#queues.delete(group);
      // The last in the order now.
      if (queue.length > 0) this.#queues.set(group, queue);
      this.#waiting--;
      return next;
    }
    return undefined;
  }
}
