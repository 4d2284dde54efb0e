/** What was to be measured did not come about: there is no figure, and this says why. */
export class Disturbance extends Error {}

/** @returns null, once it is said why, where the work was disturbed: a part of the table is missing then, not all of it. */
export async function unlessDisturbed<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Disturbance)) throw error;
    console.log(`  not measured: ${error.message}`);
    return null;
  }
}

/** Rounds of the same work that differ more than this were not alone on the machine. */
const MOST_SPREAD = 1.6;

/** Says so where rounds of the same work differ much: something else was running, and the figure is worth little. */
export function sayIfUnsteady(what: string, rounds: readonly number[]): void {
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  if (most <= least * MOST_SPREAD) return;
  console.log(`  disturbed: ${what} was ${least.toFixed(2)} in one round and ${most.toFixed(2)} in another`);
}
