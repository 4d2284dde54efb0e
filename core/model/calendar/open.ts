import { covers, isRamadan } from './holidays.js';
import { dateOfDay, dayNumber, localTime, momentOf, weekdayOf } from './local.js';
import { WEEKDAYS, type OpeningHours } from './opening-hours.js';

const MINUTES_PER_DAY = 1440;
/** A yearly holiday recurs within this time; hours that do not open within it never open. */
const LOOK_AHEAD_DAYS = 400;

/** Minutes from the day's midnight; the end may fall on the next day. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Whether the hours are open at a moment. Hours past midnight belong to the day they start on. */
export function isOpen(hours: OpeningHours, at: Date): boolean {
  const local = localTime(at, hours.time_zone);
  const [day, minute] = [dayNumber(local), local.hour * 60 + local.minute];
  const within = (spans: readonly Span[], now: number): boolean =>
    spans.some(({ from, to }) => from <= now && now < to);
  return within(spansOf(hours, day), minute) || within(spansOf(hours, day - 1), minute + MINUTES_PER_DAY);
}

/** The next opening: `at` itself if open then; null if there is none within 400 days. */
export function nextOpening(hours: OpeningHours, at: Date): Date | null {
  if (isOpen(hours, at)) return at;
  const today = dayNumber(localTime(at, hours.time_zone));
  for (let day = today; day <= today + LOOK_AHEAD_DAYS; day++) {
    const opening = spansOf(hours, day)
      .map(({ from }) => momentOf(dateOfDay(day), from, hours.time_zone))
      .filter((moment) => moment > at)
      .sort((a, b) => a.getTime() - b.getTime())[0];
    if (opening) return opening;
  }
  return null;
}

function spansOf(hours: OpeningHours, day: number): readonly Span[] {
  const holiday = hours.holidays.find((one) => covers(one, day));
  const week = hours.ramadan && isRamadan(day) ? hours.ramadan : hours.week;
  const weekday = WEEKDAYS[weekdayOf(dateOfDay(day))];
  const ranges = holiday ? holiday.hours : weekday && week[weekday];
  return (ranges ?? []).map(({ from, to }) => {
    const [start, end] = [minutesOf(from), minutesOf(to)];
    return { from: start, to: end < start ? end + MINUTES_PER_DAY : end };
  });
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}
