type Close = () => unknown;

/**
 * Collects functions that close resources. Call `add` right after opening each resource: `close` runs the functions in
 * reverse order, one after another, so that a resource is closed after everything that uses it.
 */
export class Closers {
  readonly #closers: Close[] = [];
  #closing: Promise<void> | null = null;

  add(close: Close): void {
    this.#closers.push(close);
  }

  /** Like `add`, for a resource that may already be gone: a failure is ignored. */
  addTolerant(close: Close): void {
    this.add(async () => {
      try {
        await close();
      } catch {
        // The other end is gone.
      }
    });
  }

  /**
   * Closes everything; a failure does not stop it. A repeated call waits for the first one.
   * @throws the first failure
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
