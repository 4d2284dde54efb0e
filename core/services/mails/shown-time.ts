import type { Phrase } from '../../model/errors/index.js';
import { riyadhTime } from '../../model/riyadh.js';
import { arabic } from '../../model/wording/wording.js';

/** To the minute, in Riyadh. @param time ISO 8601 if it is text */
export function shownTime(time: string | Date): Phrase {
  const at = riyadhTime(new Date(time)).replace('T', ' ').slice(0, 16);
  return { ar: arabic`${at} بتوقيت الرياض`, en: `${at} in Riyadh` };
}
