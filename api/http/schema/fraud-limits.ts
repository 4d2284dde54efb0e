import { z } from 'zod';
import { isTimeZone, RIYADH } from '../../../core/model/calendar/index.js';
import type { FraudLimits } from '../../../core/model/fraud/limits.js';
import { sarNumber } from '../../../core/model/money.js';
import { DESTINATION_CLASSES } from '../../../core/model/number/destination-class.js';
import { given } from '../request/given.js';
import { amountInput, micros } from './amounts.js';
import { bilingual } from './bilingual.js';

/** What the operator may set, too, because a project also sees the operator’s limits. */
const MOST = 1_000_000;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const calls = z.int().min(1).max(MOST).nullable();
const clockTime = z
  .string()
  .regex(CLOCK, bilingual('must be a time of day, from 00:00 to 23:59', 'يجب أن يكون وقتًا من `00:00` إلى `23:59`'));
const night = z
  .strictObject({
    from: clockTime.meta({ examples: ['22:00'] }),
    to: clockTime.meta({ examples: ['06:00'] }).describe('Not included; before `from`, it is that of the next day'),
    time_zone: z
      .string()
      .refine(isTimeZone, bilingual('must be an IANA time zone', 'يجب أن تكون منطقة زمنية من قائمة IANA'))
      .default(RIYADH),
    destination_classes: z
      .array(z.enum(DESTINATION_CLASSES))
      .max(DESTINATION_CLASSES.length)
      .default([])
      .describe('What may be called at night, of what may be called at all; empty: nothing outside'),
    calls_per_hour: calls.default(null).describe('Instead of `calls_per_hour` of the day; null: that limit'),
  })
  .refine(
    ({ from, to }) => from !== to,
    bilingual('must begin and end at different times', 'يجب أن تختلف بدايته عن نهايته'),
  );

/** Limits against toll fraud, as a customer sets them. */
export const fraudLimits = z
  .strictObject({
    calls_per_hour: calls.optional().describe('Calls to the outside in an hour'),
    minutes_per_day: z.int().min(1).max(MOST).nullable().optional().describe('Of answered calls, by Riyadh day'),
    spend_per_hour_sar: amountInput(2, 0.01)
      .nullable()
      .optional()
      .describe('What calls cost in an hour, also those that continue'),
    new_number_calls_per_hour: calls
      .optional()
      .describe('Calls in an hour to one number that the project had not called before that hour'),
    night: night.nullable().optional(),
  })
  .meta({ id: 'FraudLimits', description: 'Null is no limit. What an absent member means depends on the place' });

/** The limits as they are stored. */
export function storedFraudLimits({ spend_per_hour_sar: spend, ...others }: z.output<typeof fraudLimits>): FraudLimits {
  return {
    ...given(others),
    ...(spend === undefined ? {} : { spend_per_hour: spend === null ? null : micros(spend) }),
  };
}

/** The limits as the API shows them. */
export function presentFraudLimits({
  spend_per_hour: spend,
  night,
  ...others
}: FraudLimits): z.output<typeof fraudLimits> {
  return {
    ...others,
    ...(spend === undefined ? {} : { spend_per_hour_sar: spend === null ? null : sarNumber(spend) }),
    ...(night === undefined
      ? {}
      : { night: night && { ...night, destination_classes: [...night.destination_classes] } }),
  };
}
