/** A time of the clock, without a zone: `2026-12-01T10:00`. */
const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})$/;

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** After midnight. */
  readonly minutes: number;
}

/** Null for a text that is no such time. */
export function parseWallTime(text: string): WallTime | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (LOCAL_TIME.exec(text) ?? []).slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (year < 1000 || !isDay || hour > 23 || minute > 59) return null;
  return { year, month, day, minutes: hour * 60 + minute };
}
