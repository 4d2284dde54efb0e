/** A seeded random generator: the same seed gives the same numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number between both, inclusive. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.next() }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item);
  }

  /** An independent generator, derived from this one. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 0x1_0000_0000));
  }
}
