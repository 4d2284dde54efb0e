/** The middle one; null where there is none. */
export function median(values: readonly number[]): number | null {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? null;
}
