/** Riyadh is three hours ahead of UTC and has no daylight saving time. */
export const RIYADH_MS = 3 * 3_600_000;

/** Riyadh local time, to the second, with its offset: `2026-01-31T00:00:00+03:00`. */
export function riyadhTime(time: Date): string {
  return `${shifted(time).slice(0, -5)}+03:00`;
}

/** Like {@link riyadhTime}, to the millisecond. */
export function exactRiyadhTime(time: Date): string {
  return `${shifted(time).slice(0, -1)}+03:00`;
}

/** The day in Riyadh: `2026-01-31`. */
export function riyadhDay(time: Date): string {
  return shifted(time).slice(0, 10);
}

/**
 * When the day starts in Riyadh. @param day `YYYY-MM-DD`; the result is an invalid date for any
 * other text
 */
export function riyadhMidnight(day: string): Date {
  return new Date(`${day}T00:00:00+03:00`);
}

function shifted(time: Date): string {
  return new Date(time.getTime() + RIYADH_MS).toISOString();
}
