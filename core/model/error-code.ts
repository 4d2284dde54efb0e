/** The code of a system's or database's error, if it has one. */
export function errorCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

/**
 * Whether an error has one of these codes (system: `ENOENT`; PostgreSQL: `42P01`). An
 * AggregateError matches if any of its errors does.
 */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  if (error instanceof AggregateError) return error.errors.some((one) => hasCode(one, ...codes));
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
