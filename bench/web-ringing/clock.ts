/** Milliseconds since 1970, with fractions, by the monotonic clock of this process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The same in a page. It runs in the browser, so it is text here. */
export const NOW_OF_PAGE = 'performance.timeOrigin + performance.now()';

const TRIES = 30;

/**
 * How far the clock of a page is ahead of the clock of this process, in milliseconds. The error is half of the fastest round
 * trip at most.
 * @param ask evaluates an expression in the page
 */
export async function aheadMs(ask: (expression: string) => Promise<number>): Promise<number> {
  let best = { roundTripMs: Infinity, aheadMs: 0 };
  for (let at = 0; at < TRIES; at += 1) {
    const before = nowMs();
    const there = await ask(NOW_OF_PAGE);
    const after = nowMs();
    const roundTripMs = after - before;
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, aheadMs: there - (before + after) / 2 };
  }
  return best.aheadMs;
}
