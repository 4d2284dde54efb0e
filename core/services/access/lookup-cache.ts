import { LRUCache } from 'lru-cache';
import { atMost } from '../../model/cache-size.js';
import type { Clock } from '../../ports/clock.js';

export interface LookupCacheOptions<V> {
  readonly clock: Clock;
  readonly max: number;
  readonly ttlMs: number;
  /** @param stale the value that has just become too old. @returns undefined for what is not there, which is not cached */
  readonly load: (key: string, stale: V | undefined) => Promise<V | undefined>;
}

/** Remembers what was looked up for a while. Requests of the same moment share one look-up. */
export class LookupCache<V extends object> {
  readonly #cache: LRUCache<string, V>;
  #cleared = 0;

  constructor({ clock, max, ttlMs, load }: LookupCacheOptions<V>) {
    this.#cache = new LRUCache<string, V>({
      ...atMost(max),
      ttl: ttlMs,
      ttlResolution: 0,
      // The cache takes a value of time 0 for one that never becomes old.
      perf: { now: () => clock.monotonicMs() + 1 },
      fetchMethod: load,
    });
  }

  /** A look-up that is interrupted by {@link clear} begins again. */
  async get(key: string): Promise<V | undefined> {
    const cleared = this.#cleared;
    try {
      return await this.#cache.fetch(key);
    } catch (error) {
      if (cleared === this.#cleared) throw error;
      return this.get(key);
    }
  }

  clear(): void {
    this.#cleared += 1;
    this.#cache.clear();
  }
}
