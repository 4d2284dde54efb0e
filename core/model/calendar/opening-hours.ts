import { z } from 'zod';
import { RIYADH } from './local.js';

/** Sunday first, the start of the week in Saudi Arabia and day 0 of `weekdayOf`. */
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const MAX_RANGES = 12;
const MAX_HOLIDAYS = 200;
const MAX_DAYS = 60;

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
/** `24:00` is the end of the day. */
const CLOCK_OR_END = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

const range = z
  .strictObject({ from: z.string().regex(CLOCK), to: z.string().regex(CLOCK_OR_END) })
  .refine(({ from, to }) => from !== to, { message: 'a range must not be empty; use 00:00 to 24:00 for the whole day' })
  .describe('HH:MM to HH:MM in local time; an end before the start is on the next day');
const ranges = z.array(range).max(MAX_RANGES);
const week = z
  .strictObject({
    sunday: ranges.optional(),
    monday: ranges.optional(),
    tuesday: ranges.optional(),
    wednesday: ranges.optional(),
    thursday: ranges.optional(),
    friday: ranges.optional(),
    saturday: ranges.optional(),
  })
  .describe('Opening hours of each day; a missing day is closed');

/** `YYYY-MM-DD`, or `MM-DD` for every year. */
const DATE = /^(?:\d{4}-)?(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const common = {
  name: z.string().max(100).optional(),
  days: z.int().min(1).max(MAX_DAYS).optional().describe('How many days it lasts'),
  hours: ranges.optional().describe('Opening hours on these days; closed when absent'),
};
const holiday = z.union([
  z.strictObject({
    preset: z.enum(['eid_al_fitr', 'eid_al_adha', 'national_day', 'founding_day']),
    ...common,
  }),
  z.strictObject({
    date: z.string().regex(DATE).describe('YYYY-MM-DD, or MM-DD for every year'),
    calendar: z.enum(['gregorian', 'umm_al_qura']).default('gregorian'),
    ...common,
  }),
]);

/** Opening hours in the local time of one time zone. */
export const openingHours = z.strictObject({
  time_zone: z.string().refine(isTimeZone, { message: 'must be an IANA time zone' }).default(RIYADH),
  week,
  ramadan: week.optional().describe('Replaces `week` during Ramadan, according to the Umm al-Qura calendar'),
  holidays: z
    .array(holiday)
    .max(MAX_HOLIDAYS)
    .default([])
    .describe('The first holiday that covers a day replaces its hours'),
});
export type OpeningHours = z.output<typeof openingHours>;
export type Holiday = OpeningHours['holidays'][number];
export type OpeningRange = z.output<typeof range>;

/** Whether the name is that of an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
