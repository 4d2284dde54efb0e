import { localTime } from '../calendar/index.js';
import { dateOfDay, dayNumber, weekdayOf } from '../calendar/local.js';
import { WEEKDAYS, type Weekday } from '../calendar/opening-hours.js';

/** When a route applies. */
export interface TrunkHours {
  /** IANA time zone. */
  readonly time_zone: string;
  readonly weekdays: readonly Weekday[];
  /** `HH:MM`, in the time zone. */
  readonly from: string;
  /** `HH:MM`, not included; not after `from`, it is that of the next day. */
  readonly to: string;
}

/** Whether the moment is within the hours. Those past midnight belong to the day on which they begin. */
export function isWithin({ time_zone, weekdays, from, to }: TrunkHours, at: Date): boolean {
  const local = localTime(at, time_zone);
  const now = local.hour * 60 + local.minute;
  const today = dayNumber(local);
  const isOn = (day: number): boolean => weekdays.some((weekday) => weekday === WEEKDAYS[weekdayOf(dateOfDay(day))]);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  if (start < end) return isOn(today) && start <= now && now < end;
  return (isOn(today) && start <= now) || (isOn(today - 1) && now < end);
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}
