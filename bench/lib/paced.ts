/** How often what is due is begun. */
const TICK_MS = 10;

/**
 * Begins `count` pieces of work at an even rate, without waiting for those before: what is slow does not slow the rate down.
 * Resolves when all are done; a failed one is counted, not thrown.
 * @returns how many failed.
 */
export async function paced(count: number, perSecond: number, work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  const running: Promise<void>[] = [];
  let failed = 0;
  while (running.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedMs) / 1000) * perSecond));
    while (running.length < due) {
      running.push(
        work().then(
          () => undefined,
          () => void (failed += 1),
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(running);
  return failed;
}
