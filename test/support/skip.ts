/**
 * Skips a test, or from a `before` all tests of its `describe`, and says why behind their titles in the report.
 *
 * The only place that does: what a machine lacks (a service, a program, a complete run) must neither fail a test nor
 * pass it, and a skipped test without its reason cannot be told from a forgotten one.
 */
export function skipBecause(context: Mocha.Context, why: string): never {
  const { test } = context;
  const skipped = test instanceof Object && 'type' in test && test.type === 'hook' ? test.parent?.tests : [test];
  for (const one of skipped ?? []) if (one) one.title += ` (skipped: ${why})`;
  context.skip();
}
