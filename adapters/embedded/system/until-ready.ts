import { setTimeout as pause } from 'node:timers/promises';

const POLL_INTERVAL_MS = 30;

/**
 * Polls a part until it is ready, cannot become ready any more, or the time limit is reached.
 * @param probe returns the part's version once it is ready
 * @returns the version, or undefined
 */
export async function untilReady(
  probe: () => Promise<string | undefined>,
  canBecomeReady: () => boolean,
  limitMs: number,
): Promise<string | undefined> {
  const deadlineMs = performance.now() + limitMs;
  while (canBecomeReady() && performance.now() < deadlineMs) {
    const version = await probe();
    if (version !== undefined) return version;
    await pause(POLL_INTERVAL_MS);
  }
  return undefined;
}
