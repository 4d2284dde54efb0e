/**
 * Options of an LRU cache that holds at most this many entries. Its option `max` would reserve the memory of all of them
 * when the cache is made.
 */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
