/** Lets one consumer sleep until something happens, or until `end` is aborted. */
export class Waker {
  #wake: () => void = () => undefined;

  constructor(private readonly end: AbortSignal) {}

  /** Something has happened. */
  wake(): void {
    this.#wake();
  }

  sleep(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.end.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      if (this.end.aborted) wake();
      else this.end.addEventListener('abort', wake, { once: true });
    });
  }
}
