/** A part could not be measured; the message gives the reason. */
export class Disturbance extends Error {}

/**
 * Runs the work. If it was disturbed, logs the reason and returns null, so that only this part of the table is missing.
 */
export async function unlessDisturbed<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Disturbance)) throw error;
    console.log(`  not measured: ${error.message}`);
    return null;
  }
}

/** If rounds of the same work differ by more than this factor, other work on the machine disturbed them. */
const MAX_SPREAD = 1.6;

/** Logs it if rounds of the same work differ by more than {@link MAX_SPREAD}: the figure is unreliable. */
export function sayIfUnsteady(what: string, rounds: readonly number[]): void {
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  if (most <= least * MAX_SPREAD) return;
  console.log(`  disturbed: ${what} was ${least.toFixed(2)} in one round and ${most.toFixed(2)} in another`);
}
