const LIMIT_MS = 20_000;

/** Waits for conditions, which are checked again after each change. */
export class Waiting {
  readonly #looks = new Set<() => void>();

  /** Checks every pending condition again. */
  changed(): void {
    for (const look of [...this.#looks]) look();
  }

  /**
   * Resolves as soon as `holds` returns a value, now or after a change. Rejects with its error, or after `limitMs`.
   * @param failure the error message after the timeout
   */
  async until<T>(holds: () => T | undefined | null | false, failure: () => string, limitMs = LIMIT_MS): Promise<T> {
    let end = (): void => undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(failure())), limitMs);
        const look = (): void => {
          try {
            const value = holds();
            if (value !== undefined && value !== null && value !== false) resolve(value);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        end = () => {
          clearTimeout(limit);
          this.#looks.delete(look);
        };
        this.#looks.add(look);
        look();
      });
    } finally {
      end();
    }
  }
}
