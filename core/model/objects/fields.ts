import { z } from 'zod';

/** A point in time: UTC, milliseconds, `Z`. */
export const timeOutput = z.string().meta({ format: 'date-time', examples: ['2026-01-31T06:00:00.000Z'] });

/** An id created by Hatif (UUID version 7). */
export const idOutput = z.string().meta({ format: 'uuid', examples: ['01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11'] });

/** An amount in riyals. */
export const sar = z.number().meta({ examples: [12.5] });

export const CURRENCY = z.literal('SAR');

/** A telephone number with its middle digits hidden. */
export const maskedNumber = z.string().meta({ examples: ['+96650••••17'] });

/** The full number beside a masked one. It is never stored with an event, but added when the event is shown. */
export const customerNumber = z
  .string()
  .nullable()
  .optional()
  .describe(
    'The customer’s full number (E.164); null if it is withheld, unknown or not a telephone number. Only with the scope `pii:read`, and in messages to webhook endpoints with `include_customer_number`; otherwise absent.',
  );
