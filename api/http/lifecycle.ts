/** Whether the server accepts requests. Draining begins once and does not end. */
export class Lifecycle {
  readonly #drain = new AbortController();

  get draining(): boolean {
    return this.#drain.signal.aborted;
  }

  /** Aborted when draining begins. */
  get signal(): AbortSignal {
    return this.#drain.signal;
  }

  drain(): void {
    this.#drain.abort();
  }
}
