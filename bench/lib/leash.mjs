/**
 * Loaded into each program that the benchmark starts, and into its worker threads, which cannot load TypeScript. Ends
 * the program when the benchmark ends, for whatever reason.
 */
process.once('disconnect', () => process.exit(1));
