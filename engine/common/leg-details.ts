import { setTimeout as pause } from 'node:timers/promises';
import type { CallDetail, LegDetail } from '../../core/ports/call-detail.js';

export type RecordedLegs = Parameters<CallDetail['of']>[0];
export type LegDetails = ReadonlyMap<string, LegDetail>;

/** Tolerance for clock differences, and for lines that are not in strict order. */
const TOLERANCE_MS = 60_000;
/** An engine writes the end of a leg slightly after it has sent the event, and has stopped listing the leg. */
const WRITE_DELAY_MS = 200;

/**
 * Reads an engine's records of legs, and reads them again if an end may not be written yet.
 * @param read gets the time before which nothing about the legs was recorded
 * @returns null if they cannot be read, which `onUnreadable` reports
 */
export async function readLegDetails(
  legs: RecordedLegs,
  read: (oldestMs: number) => Promise<LegDetails>,
  onUnreadable: (error: unknown) => void,
): Promise<LegDetails | null> {
  if (legs.length === 0) return new Map();
  const oldestMs = Math.min(...legs.map((leg) => leg.created_at.getTime())) - TOLERANCE_MS;
  try {
    const found = await read(oldestMs);
    if (legs.every(({ id }) => found.get(id)?.end)) return found;
    await pause(WRITE_DELAY_MS);
    return await read(oldestMs);
  } catch (error) {
    onUnreadable(error);
    return null;
  }
}
