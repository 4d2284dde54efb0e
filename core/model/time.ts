/**
 * Formats a point in time for the API: ISO 8601, UTC, milliseconds, `Z`.
 * @throws RangeError for an invalid date.
 */
export function isoTime(time: Date): string;
export function isoTime(time: Date | null): string | null;
export function isoTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+ -]\d{2}:\d{2})$/i;

/**
 * Parses an ISO 8601 date-time with an offset; null for anything else. A space before the offset
 * counts as the `+` that an unencoded query string loses.
 */
export function parseTime(text: string): Date | null {
  if (!WITH_OFFSET.test(text)) return null;
  const repaired = text.replace(' ', '+');
  const time = new Date(repaired);
  if (Number.isNaN(time.getTime())) return null;
  return isRealDay(repaired) ? time : null;
}

/** `Date` turns 30 February into a day in March; such a day is refused instead. */
function isRealDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}
