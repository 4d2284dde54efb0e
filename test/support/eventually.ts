/** Polls less and less often: a long wait must not use up the processor or the API's rate limit. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [20, 250, 1.15];

/**
 * Polls until `holds` returns a value; for conditions that send no notification. Throws after `limitMs`.
 * @param what the test waits for; a function if the text is known only at the timeout
 */
export async function eventually<T>(
  holds: () => T | Promise<T>,
  what: string | (() => string),
  limitMs = 20_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + limitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
    const value = await holds();
    if (value !== false && value !== null && value !== undefined) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline)
      throw new Error(`timed out waiting for: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
