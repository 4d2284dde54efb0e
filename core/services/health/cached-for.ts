/** Caches the result of `load` for `ttlMs`; concurrent callers share one load. */
export function cachedFor<T>(ttlMs: number, load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  let loadedMs = -Infinity;
  return () => {
    if (result === null || performance.now() - loadedMs >= ttlMs) {
      loadedMs = performance.now();
      result = load();
    }
    return result;
  };
}
