import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/model/cache-size.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import type { SipSource } from '../message/request.js';

/** How long an address that guessed wrong waits for an answer, by the number of its guesses. A typing error costs nothing. */
const PAUSES_MS = [0, 0, 500, 1_000, 2_000] as const;
const LONGEST_PAUSE_MS = 4_000;
const REMEMBERED_MS = 600_000;
const MAX_ADDRESSES = 50_000;
/** As many requests wait at most. Further ones get no answer. */
const MOST_WAITING = 1_000;

export interface TarpitOptions {
  readonly observe: () => void;
  readonly clock: Clock;
}

/** Slows guessing down before it leads to a lockout. Each process counts for itself. */
export class Tarpit {
  readonly #wrong = new LRUCache<string, number>({ ...atMost(MAX_ADDRESSES), ttl: REMEMBERED_MS });
  #waiting = 0;

  constructor(private readonly options: TarpitOptions) {}

  sawWrongPassword({ host }: SipSource): void {
    this.#wrong.set(host, (this.#wrong.get(host) ?? 0) + 1);
  }

  /** A right password: whoever uses the address is no stranger. */
  forgive({ host }: SipSource): void {
    this.#wrong.delete(host);
  }

  /** Waits before an answer. @returns false if the request is not to be answered at all */
  async wait({ host }: SipSource): Promise<boolean> {
    const wrong = this.#wrong.get(host) ?? 0;
    const ms = PAUSES_MS[wrong] ?? LONGEST_PAUSE_MS;
    if (ms === 0) return true;
    if (this.#waiting >= MOST_WAITING) return false;
    this.#waiting += 1;
    try {
      this.options.observe();
      await pause(this.options.clock, ms);
      return true;
    } finally {
      this.#waiting -= 1;
    }
  }
}
