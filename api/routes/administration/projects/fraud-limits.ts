import { z } from 'zod';
import { isTimeZone, RIYADH } from '../../../../core/model/calendar/index.js';
import type { FraudLimits } from '../../../../core/model/fraud/limits.js';
import { exactSarNumber } from '../../../../core/model/money.js';
import { DESTINATION_CLASSES } from '../../../../core/model/number/destination-class.js';
import { given } from '../../../http/request/given.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { bilingual } from '../../../http/schema/bilingual.js';

const MOST = 1_000_000;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const most = z.int().min(1).max(MOST).nullable();
const clockTime = z
  .string()
  .regex(CLOCK, bilingual('must be a time of day, from 00:00 to 23:59', 'يجب أن يكون وقتًا من `00:00` إلى `23:59`'));

/** The limits of a project or an agent against toll fraud, as the operator sets them. */
export const fraudLimits = z
  .strictObject({
    calls_per_hour: most.optional().describe('Calls to the outside in an hour'),
    minutes_per_day: most.optional().describe('Of answered calls, by Riyadh day'),
    spend_per_hour_sar: amountInput(2, 0.01).nullable().optional().describe('What calls cost in an hour'),
    new_number_calls_per_hour: most
      .optional()
      .describe('Calls in an hour to one number that the project had not called before that hour'),
    night: z
      .strictObject({
        from: clockTime.meta({ examples: ['22:00'] }),
        to: clockTime.meta({ examples: ['06:00'] }).describe('Not included'),
        time_zone: z
          .string()
          .refine(isTimeZone, bilingual('must be an IANA time zone', 'يجب أن تكون منطقة زمنية من قائمة IANA'))
          .default(RIYADH),
        destination_classes: z.array(z.enum(DESTINATION_CLASSES)).max(DESTINATION_CLASSES.length).default([]),
        calls_per_hour: most.default(null),
      })
      .refine(
        ({ from, to }) => from !== to,
        bilingual('must begin and end at different times', 'يجب أن تختلف بدايته عن نهايته'),
      )
      .nullable()
      .optional(),
  })
  .meta({ id: 'AdministeredFraudLimits', description: 'An absent or null member is no limit' });

/** The limits as they are stored. */
export function storedLimits({ spend_per_hour_sar: spend, ...others }: z.output<typeof fraudLimits>): FraudLimits {
  return {
    ...given(others),
    ...(spend === undefined ? {} : { spend_per_hour: spend === null ? null : micros(spend) }),
  };
}

/** The limits as the API shows them. */
export function presentLimits({ spend_per_hour: spend, night, ...others }: FraudLimits): z.output<typeof fraudLimits> {
  return {
    ...others,
    ...(spend === undefined ? {} : { spend_per_hour_sar: spend === null ? null : exactSarNumber(spend) }),
    ...(night === undefined
      ? {}
      : { night: night && { ...night, destination_classes: [...night.destination_classes] } }),
  };
}
