/** Loaded into each program that the benchmark starts, and into their threads, which know no TypeScript: it must not outlive the benchmark, however that ends. */
process.once('disconnect', () => process.exit(1));
