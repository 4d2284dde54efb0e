import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

/**
 * mocha's `spec`, which also writes counts to a file (`--reporter-option output=<file>`) for scripts/test.mjs. A run
 * that is aborted leaves `finished: false` there.
 */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const output = options.reporterOption?.output;
    if (!output) return;
    const counts = { passed: 0, failed: 0, skipped: 0, finished: false, failures: [], tests: [], files: [] };
    const note = (test, state) => counts.tests.push({ path: test.titlePath(), state });
    runner.on(EVENT_TEST_PASS, (test) => {
      counts.passed += 1;
      note(test, 'passed');
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      counts.skipped += 1;
      note(test, 'skipped');
    });
    // One test may fail twice: by itself and by a promise that it did not await.
    const failed = new Set();
    runner.on(EVENT_TEST_FAIL, (test) => {
      if (failed.has(test)) return;
      failed.add(test);
      counts.failed += 1;
      note(test, 'failed');
      counts.failures.push(test.fullTitle());
    });
    const startedMs = new Map();
    runner.on(EVENT_SUITE_BEGIN, (suite) => {
      if (suite.parent?.root) startedMs.set(suite, performance.now());
    });
    runner.on(EVENT_SUITE_END, (suite) => {
      if (startedMs.has(suite)) counts.files.push({ file: suite.file, ms: performance.now() - startedMs.get(suite) });
    });
    runner.once(EVENT_RUN_END, () => (counts.finished = true));
    process.once('exit', () => writeFileSync(output, JSON.stringify(counts)));
  }
}
