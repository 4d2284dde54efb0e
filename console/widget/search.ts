import { sha256After } from './sha256.js';

/** The platform's proof-of-work challenge. */
export interface Challenge {
  readonly algorithm: string;
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/** Searches for the number in steps of a given count. */
export class Search {
  readonly #hash: (text: string) => Uint32Array;
  readonly #wanted: readonly number[];
  readonly #end: number;
  #next = 0;
  /** Null if it is not found (yet). */
  found: number | null = null;

  constructor({ salt, challenge, maxnumber }: Challenge) {
    this.#hash = sha256After(salt);
    this.#wanted = Array.from({ length: 8 }, (_, i) => parseInt(challenge.slice(i * 8, i * 8 + 8), 16));
    this.#end = maxnumber;
  }

  step(count: number): boolean {
    const end = Math.min(this.#end + 1, this.#next + count);
    for (; this.#next < end; this.#next++) {
      const hash = this.#hash(String(this.#next));
      if (this.#wanted.every((word, i) => hash[i] === word)) {
        this.found = this.#next;
        return false;
      }
    }
    return this.#next <= this.#end;
  }
}
