const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/**
 * How long to wait before another connection: at once at first, then doubled, with up to a half less, so that the browsers
 * of a platform that restarts do not come all at once.
 * @param attempts those that failed before
 * @param random 0 to 1
 */
export function retryDelayMs(attempts: number, random: number): number {
  if (attempts === 0) return 0;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempts - 1));
  return Math.round(longest * (1 - random / 2));
}
