const LIMIT_MS = 20_000;

/** For those who wait until something holds, and are told of each change that may have made it so. */
export class Waiting {
  readonly #looks = new Set<() => void>();

  /** Something changed: everybody who waits looks again. */
  changed(): void {
    for (const look of [...this.#looks]) look();
  }

  /**
   * Resolves as soon as `holds` gives something, now or after a change. Rejects with what it throws, or after `limitMs`.
   * @param failure says what was waited for in vain
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
