/** A day of the Gregorian calendar. */
export interface LocalDate {
  readonly year: number;
  /** 1-12. */
  readonly month: number;
  /** 1-31. */
  readonly day: number;
}

/** A day of the Umm al-Qura calendar: months 1-12 from Muharram, days 1-30. */
export type HijriDate = LocalDate;

/** A time of the day. */
export interface LocalTime {
  /** 0-23. */
  readonly hour: number;
  readonly minute: number;
}

export const RIYADH = 'Asia/Riyadh';
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached because creating a format takes far longer than using it. */
function formatOf(calendar: 'gregory' | 'islamic-umalqura', timeZone: string): Intl.DateTimeFormat {
  const key = `${calendar} ${timeZone}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, {
      timeZone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
    });
    formats.set(key, format);
  }
  return format;
}

function read(format: Intl.DateTimeFormat, at: Date): LocalDate & LocalTime {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
  };
}

/**
 * The local date and time at a moment.
 * @throws RangeError for an unknown time zone.
 */
export function localTime(at: Date, timeZone = RIYADH): LocalDate & LocalTime {
  return read(formatOf('gregory', timeZone), at);
}

/** Days since 1970-01-01, for plain day arithmetic without a time zone. */
export function dayNumber({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

export function dateOfDay(number: number): LocalDate {
  const date = new Date(number * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 is Sunday. */
export function weekdayOf(date: LocalDate): number {
  return new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
}

/**
 * The same day in the Umm al-Qura calendar, the civil calendar of Saudi Arabia, by ICU's tables
 * (1300 to 1600).
 */
export function hijriOf(date: LocalDate): HijriDate {
  const { year, month, day } = read(formatOf('islamic-umalqura', 'UTC'), new Date(dayNumber(date) * DAY_MS));
  return { year, month, day };
}

/**
 * The moment at which the local clock shows `minutes` after midnight. If a clock change skips that
 * time, the result is later by the length of the gap.
 */
export function momentOf(date: LocalDate, minutes: number, timeZone = RIYADH): Date {
  const wall = dayNumber(date) * DAY_MS + minutes * 60_000;
  const offsetAt = (at: number): number => {
    const local = localTime(new Date(at), timeZone);
    return dayNumber(local) * DAY_MS + (local.hour * 60 + local.minute) * 60_000 - at;
  };
  // First the offset of a nearby moment, then that of the moment itself.
  const near = wall - offsetAt(wall);
  const exact = wall - offsetAt(near);
  return new Date(offsetAt(exact) === wall - exact ? exact : Math.max(near, exact));
}
