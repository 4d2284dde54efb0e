type Close = () => unknown;

/**
 * Collects the functions that close resources. Call `add` right after opening a resource: `close` runs the functions one
 * by one in reverse order, so that a resource is closed after everything that uses it.
 */
export class Closers {
  readonly #closers: Close[] = [];
  #closing: Promise<void> | null = null;

  add(close: Close): void {
    this.#closers.push(close);
  }

  /** Like `add`, for a resource that may be closed already: a failure is ignored. */
  addTolerant(close: Close): void {
    this.add(async () => {
      try {
        await close();
      } catch {
        // Closed already.
      }
    });
  }

  /**
   * Closes everything, even after a failure. A repeated call waits for the first one.
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
