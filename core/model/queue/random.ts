/** Pseudo-random numbers from 0 to below 1 (mulberry32): the same state gives the same numbers. */
export function nextRandom(from: number): { readonly value: number; readonly state: number } {
  const state = (from + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000, state };
}
