/** Whether an error has one of these codes (of the system: `ENOENT`; of PostgreSQL: `42P01`); one of several attempts has those of each. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  if (error instanceof AggregateError) return error.errors.some((one) => hasCode(one, ...codes));
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
