/** The caches of this process that hold rows of the configuration: keys, sessions, projects, numbers, softphones, trunks. */
export class Caches {
  readonly #clears = new Set<() => void>();

  /** @param clear makes the cache read its rows again @returns removes the cache from the list */
  add(clear: () => void): () => void {
    this.#clears.add(clear);
    return () => this.#clears.delete(clear);
  }

  /** Makes every cache read its rows again. */
  clear(): void {
    for (const clear of this.#clears) clear();
  }
}
