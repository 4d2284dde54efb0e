/** The interval at which due work is started. */
const TICK_MS = 10;

/**
 * Runs `work` `count` times, started at an even rate. A slow run does not delay the next one. Resolves when all have
 * settled; failures are counted, not thrown.
 * @returns the number of failures
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
