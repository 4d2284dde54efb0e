import { riyadhMidnight } from '../riyadh.js';

const MONTH = /^(20\d{2})-(0[1-9]|1[0-2])$/;

/** The validation message for text that is not a month. */
export const NOT_A_MONTH = { en: 'must be a month such as 2026-10', ar: 'يجب أن يكون شهرًا مثل `2026-10`' };

/** Whether the text is a calendar month: `YYYY-MM`. */
export function isMonth(text: string): boolean {
  return MONTH.test(text);
}

/** The first day of the following month: `YYYY-MM-01`. */
export function dayAfterMonth(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01-01` : `${year}-${String(number + 1).padStart(2, '0')}-01`;
}

/** When the month ends in Riyadh. */
export function endOfMonth(month: string): Date {
  return riyadhMidnight(dayAfterMonth(month));
}
