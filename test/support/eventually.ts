const LOOK_EVERY_MS = 20;

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
  for (;;) {
    const value = await holds();
    if (value !== false && value !== null && value !== undefined) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
