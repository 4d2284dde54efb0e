import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 30;

/**
 * Asks a part again and again until it is ready, can come no more, or the time is up.
 * @param probe its version once it is ready
 */
export async function untilReady(
  probe: () => Promise<string | undefined>,
  mayStillCome: () => boolean,
  limitMs: number,
): Promise<string | undefined> {
  const deadlineMs = performance.now() + limitMs;
  while (mayStillCome() && performance.now() < deadlineMs) {
    const version = await probe();
    if (version !== undefined) return version;
    await pause(LOOK_EVERY_MS);
  }
  return undefined;
}
