import { z } from 'zod';
import { PAYMENT_METHODS, PAYMENT_STATUSES } from '../payment.js';
import { CURRENCY, idOutput, sar, timeOutput } from './fields.js';

export const paymentObject = z
  .strictObject({
    id: idOutput,
    status: z.enum(PAYMENT_STATUSES).describe('Money that arrives late changes any status to `succeeded`'),
    method: z.enum(PAYMENT_METHODS),
    amount_sar: sar.describe('The amount credited to the organization’s pool'),
    vat_sar: sar,
    total_sar: sar.describe('The amount to pay'),
    paid_sar: sar.nullable().describe('The amount received; booked only if it equals `total_sar`'),
    refunded_sar: sar.describe('The part of `paid_sar` that the operator has refunded'),
    currency: CURRENCY,
    invoice_id: idOutput.nullable().describe('Null for a top-up of the pool'),
    reference: z
      .string()
      .describe('Put this reference on the bank transfer')
      .meta({ examples: ['HT7K2M9QXWAB'] }),
    error_code: z
      .enum(['PAYMENT_FAILED', 'PAYMENT_AMOUNT_MISMATCH'])
      .nullable()
      .describe('`PAYMENT_AMOUNT_MISMATCH`: another amount arrived and was not booked'),
    reason: z.string().nullable().describe('Reason of a failure, from the gateway or the operator'),
    checkout_url: z
      .string()
      .nullable()
      .describe('The page on which the customer pays; also null until the gateway has answered'),
    return_url: z.string().nullable(),
    transfer_to: z.strictObject({ iban: z.string(), account_name: z.string() }).nullable(),
    expires_at: timeOutput,
    created_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'Payment' });

export type PaymentObject = z.output<typeof paymentObject>;
