/** The smallest value that so large a part of all values does not exceed; null where there is none. */
export function percentile(values: readonly number[], part: number): number | null {
  return [...values].sort((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? null;
}
