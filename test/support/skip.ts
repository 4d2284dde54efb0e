/**
 * Skips a test, or from a `before` all tests of its `describe`, and appends the reason to their titles in the report.
 *
 * No other code skips tests: what a machine lacks (a service, a program, a complete run) must neither fail a test nor
 * pass it, and without the reason a skipped test looks like a forgotten one.
 */
export function skipBecause(context: Mocha.Context, why: string): never {
  const { test } = context;
  const skipped = test instanceof Object && 'type' in test && test.type === 'hook' ? test.parent?.tests : [test];
  for (const one of skipped ?? []) if (one) one.title += ` (skipped: ${why})`;
  context.skip();
}
