import { z } from 'zod';
import { PAYMENT_METHODS, PAYMENT_STATUSES } from '../payment.js';
import { CURRENCY, idOutput, sar, timeOutput } from './fields.js';

export const paymentObject = z
  .strictObject({
    id: idOutput,
    status: z.enum(PAYMENT_STATUSES).describe('Money that comes late makes any of them `succeeded`'),
    method: z.enum(PAYMENT_METHODS),
    amount_sar: sar.describe('What the organization’s pool gets'),
    vat_sar: sar,
    total_sar: sar.describe('What is to be paid'),
    paid_sar: sar.nullable().describe('What has arrived; it is booked where it is `total_sar` exactly'),
    currency: CURRENCY,
    invoice_id: idOutput.nullable().describe('Null where the pool is topped up'),
    reference: z
      .string()
      .describe('To be written on a bank transfer')
      .meta({ examples: ['HT7K2M9QXWAB'] }),
    error_code: z
      .enum(['PAYMENT_FAILED', 'PAYMENT_AMOUNT_MISMATCH'])
      .nullable()
      .describe('With `PAYMENT_AMOUNT_MISMATCH` another amount has arrived; nothing was booked'),
    reason: z.string().nullable().describe('What the gateway or the operator says of a failure'),
    checkout_url: z
      .string()
      .nullable()
      .describe('The page on which the customer pays; null also while the gateway has not answered yet'),
    return_url: z.string().nullable(),
    transfer_to: z.strictObject({ iban: z.string(), account_name: z.string() }).nullable(),
    expires_at: timeOutput,
    created_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'Payment' });

export type PaymentObject = z.output<typeof paymentObject>;
