/** Skips a test, or from a `before` all tests of its `describe`, and says why behind their titles in the report. */
export function skipBecause(context: Mocha.Context, why: string): never {
  const { test } = context;
  const skipped = test instanceof Object && 'type' in test && test.type === 'hook' ? test.parent?.tests : [test];
  for (const one of skipped ?? []) if (one) one.title += ` (skipped: ${why})`;
  context.skip();
}
