import { momentOf, RIYADH } from '../../model/calendar/local.js';
import { parseWallTime } from '../../model/broadcasts/wall-time.js';

/** Where a day begins first. */
const EARLIEST_ZONE = 'Pacific/Kiritimati';

/** When the clock of a recipient shows a time. @param zone IANA name; null: that of Riyadh */
export function momentIn(localTime: string, zone: string | null): Date {
  const wall = parseWallTime(localTime);
  if (!wall) throw new RangeError(`${localTime} is no time of a clock`);
  return momentOf(wall, wall.minutes, zone ?? RIYADH);
}

/** When the first clock of the world shows a time. */
export function firstMoment(localTime: string): Date {
  return momentIn(localTime, EARLIEST_ZONE);
}
