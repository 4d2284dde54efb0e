/** The nearest-rank percentile. @param part from 0 to 1, for example 0.99 @returns null if there are no values */
export function percentile(values: readonly number[], part: number): number | null {
  return [...values].sort((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? null;
}
