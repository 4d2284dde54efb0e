import { riyadhTime } from '../../model/riyadh.js';

/** To the minute, in Riyadh. @param time ISO 8601 if it is text */
export function shownTime(time: string | Date): string {
  return riyadhTime(new Date(time)).replace('T', ' ').slice(0, 16);
}
