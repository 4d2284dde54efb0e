/** The median (the upper one of two middle values); null if there are no values. */
export function median(values: readonly number[]): number | null {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? null;
}
