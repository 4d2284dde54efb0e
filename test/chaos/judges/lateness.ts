import type { Evidence } from './evidence.js';

/** The tolerance for audio in transit at the begin and end of a span. */
export const TRANSIT_MS = 300;

/** The total time by which the test's own audio was late in this span. */
export function latenessBetween(lateness: Evidence['media']['lateness'], from: number, to: number): number {
  return lateness.filter(({ at }) => at > from && at <= to + TRANSIT_MS).reduce((sum, { ms }) => sum + ms, 0);
}
