/**
 * Loaded before every test file: an unhandled rejection fails the test that is running. (Rethrown, it reaches mocha as
 * an uncaught exception; mocha ignores a plain unhandled rejection.)
 */
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(`unhandled rejection: ${String(reason)}`);
});
