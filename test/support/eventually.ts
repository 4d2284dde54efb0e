/** Looked for often at first and then less: what takes long is not to take the processor, or the API's allowance of requests, from others. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [20, 250, 1.15];

/**
 * For what tells nobody when it happens: looks until `holds` gives something, and throws after `limitMs`.
 * @param what was waited for; a function where that is known only then
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
    if (performance.now() > deadline) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
