/**
 * Loaded before every test file: a promise that nobody waits for and that fails is a failure of the test that runs then.
 * (Thrown on, it reaches mocha as an uncaught exception; mocha leaves a plain unhandled rejection alone.)
 */
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(`unhandled rejection: ${String(reason)}`);
});
