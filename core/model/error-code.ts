/**
 * Whether an error has one of these codes (system: `ENOENT`; PostgreSQL: `42P01`). An
 * AggregateError matches if any of its errors does.
 */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  if (error instanceof AggregateError) return error.errors.some((one) => hasCode(one, ...codes));
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
