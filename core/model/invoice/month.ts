import { momentOf } from '../calendar/local.js';
import { riyadhDay } from '../usage.js';

const MONTH = /^(20\d{2})-(0[1-9]|1[0-2])$/;

/** Whether the text is a calendar month: `YYYY-MM`. */
export function isMonth(text: string): boolean {
  return MONTH.test(text);
}

/** The first day of the month after this one: `YYYY-MM-01`. */
export function dayAfterMonth(month: string): string {
  const [year, number] = numbersOf(month);
  return number === 12 ? `${year + 1}-01-01` : `${year}-${String(number + 1).padStart(2, '0')}-01`;
}

/** When the month is over in Riyadh. */
export function endOfMonth(month: string): Date {
  const [year, number, day] = numbersOf(dayAfterMonth(month));
  return momentOf({ year, month: number, day }, 0);
}

/** The month of Riyadh: `YYYY-MM`. */
export function riyadhMonth(time: Date): string {
  return riyadhDay(time).slice(0, 7);
}

function numbersOf(text: string): [number, number, number] {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  return [year, month, day];
}
