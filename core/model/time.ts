/**
 * A point in time as the API writes it: ISO 8601, UTC, milliseconds, `Z`.
 * Throws a RangeError for an invalid date.
 */
export function isoTime(time: Date): string;
export function isoTime(time: Date | null): string | null;
export function isoTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+ -]\d{2}:\d{2})$/i;

/**
 * Reads an ISO 8601 date-time that names its offset, or null. A blank before the offset counts as the `+` that an
 * unencoded query string loses.
 */
export function parseTime(text: string): Date | null {
  if (!WITH_OFFSET.test(text)) return null;
  const repaired = text.replace(' ', '+');
  const time = new Date(repaired);
  if (Number.isNaN(time.getTime())) return null;
  return isRealDay(repaired) ? time : null;
}

/** Date accepts 30 February and makes it March: a day that is not in the calendar is refused instead. */
function isRealDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}
