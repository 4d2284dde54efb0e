/** Loaded into each program that the benchmark starts: it must not outlive the benchmark, however that ends. */
process.once('disconnect', () => process.exit(1));
