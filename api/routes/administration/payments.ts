import { z } from 'zod';
import type { PaymentRefundRow, PaymentRow } from '../../../core/data/rows.js';
import { sarNumber } from '../../../core/model/money.js';
import { idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { paymentObject } from '../../../core/model/objects/payment.js';
import { PAYMENT_STATUSES } from '../../../core/model/payment.js';
import { isoTime } from '../../../core/model/time.js';
import type { PaymentAdministration } from '../../../core/services/payments/administration.js';
import { presentPayment } from '../../../core/services/payments/present.js';
import { amountInput, micros } from '../../http/schema/amounts.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';
import { reading, writing } from './administrator.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const payment = paymentObject
  .extend({
    ...ownerFields,
    created_by_key: idOutput.describe('The key, or the user, that opened the payment'),
    request_id: z.string(),
    provider_reference: z.string().nullable().describe('Reference of the gateway or the bank'),
    checks: z.int().describe('How often the gateway was asked about it'),
    next_check_at: timeOutput.nullable(),
  })
  .meta({ id: 'AdministeredPayment' });
const refund = z
  .strictObject({
    id: idOutput,
    payment_id: idOutput,
    organization_id: idOutput,
    reference: z.string().describe('Your own reference of the refund'),
    reason: z.string(),
    amount_sar: sar.describe('Taken from the pool'),
    vat_sar: sar,
    total_sar: sar,
    created_at: timeOutput,
  })
  .meta({ id: 'PaymentRefund' });
const booked = z.strictObject({ booked: z.boolean().describe('False if it was booked before'), payment });
const params = z.strictObject({
  reference: z.string().describe('Reference of the payment; case, spaces and dashes do not matter'),
});

/** Payments of customers; bank transfers are confirmed here. */
export function administeredPaymentRoutes({
  administration,
}: {
  readonly administration: PaymentAdministration;
}): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/payments',
      operationId: 'listAdministeredPayments',
      summary: 'List the payments of all organizations',
      summaryAr: 'عرض مدفوعات جميع المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PAYMENT_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(payment), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await administration.list(status, limit + 1, cursors.read(cursor));
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/payments/:reference/confirm',
      operationId: 'confirmPayment',
      summary: 'Confirm that a payment arrived',
      summaryAr: 'تأكيد وصول دفعة',
      description: 'Books a bank transfer once, and only if the whole amount with tax arrived.',
      params,
      body: z.strictObject({
        paid_sar: amountInput(2, 0.01).describe('The amount that arrived'),
        bank_reference: z.string().trim().min(1).max(250).nullable().default(null),
      }),
      auditFields: ['paid_sar', 'bank_reference'],
      responses: { 200: { schema: booked, description: 'The payment' } },
      errors: ['NOT_FOUND', 'PAYMENT_NOT_FOUND', 'PAYMENT_AMOUNT_MISMATCH'],
      handler: async ({ params: { reference }, body, note }) => {
        const { row, isNew } = await administration.confirm(reference, micros(body.paid_sar), body.bank_reference);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: { booked: isNew, payment: present(row) } };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/payments/:reference/refuse',
      operationId: 'refusePayment',
      summary: 'Refuse a pending payment',
      summaryAr: 'رفض دفعة معلّقة',
      description: 'A payment that has ended is not changed.',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(250).describe('Shown to the customer') }),
      auditFields: ['reason'],
      responses: { 200: { schema: payment, description: 'The payment as it is now' } },
      errors: ['NOT_FOUND', 'PAYMENT_NOT_FOUND', 'PAYMENT_AMOUNT_MISMATCH'],
      handler: async ({ params: { reference }, body: { reason }, note }) => {
        const row = await administration.reject(reference, reason);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/payments/:reference/refund',
      operationId: 'refundPayment',
      summary: 'Book a refund',
      summaryAr: 'قيد ردّ دفعة',
      description: 'You send the money back at the bank or the gateway. Each reference refunds the payment once.',
      params,
      body: z.strictObject({
        total_sar: amountInput(2, 0.01)
          .nullable()
          .default(null)
          .describe('With tax; null: all that is not refunded yet'),
        reference: z.string().trim().min(1).max(250).describe('Your own reference of the refund'),
        reason: z.string().trim().min(1).max(250),
        overdraw: z.boolean().default(false).describe('Whether the balance may fall below zero'),
      }),
      auditFields: ['total_sar', 'reference', 'reason', 'overdraw'],
      responses: { 200: { schema: booked.extend({ refund }), description: 'The payment and the refund' } },
      errors: ['NOT_FOUND', 'PAYMENT_NOT_FOUND', 'INSUFFICIENT_POOL_BALANCE'],
      handler: async ({ params: { reference }, body, note }) => {
        const {
          payment: row,
          refund: made,
          isNew,
        } = await administration.refund(reference, {
          total: body.total_sar === null ? null : micros(body.total_sar),
          ...{ reference: body.reference, reason: body.reason, mayOverdraw: body.overdraw },
        });
        note(noteOf(row, { refunded: isNew }));
        return { status: 200, body: { booked: isNew, payment: present(row), refund: presentRefund(made) } };
      },
    }),
  ];
}

function present(row: PaymentRow): z.output<typeof payment> {
  const { created_by_key, request_id, provider_reference, checks, next_check_at, checkout_url } = row;
  return {
    ...presentPayment(row, null),
    ...ownerIn(row),
    ...{ created_by_key, request_id, provider_reference, checks, next_check_at: isoTime(next_check_at) },
    // Administrators do not pay there.
    checkout_url,
  };
}

function presentRefund(row: PaymentRefundRow): z.output<typeof refund> {
  const { id, payment_id, organization_id, reference, reason, amount, vat, total, created_at } = row;
  return {
    ...{ id, payment_id, organization_id, reference, reason },
    ...{ amount_sar: sarNumber(amount), vat_sar: sarNumber(vat), total_sar: sarNumber(total) },
    created_at: isoTime(created_at),
  };
}
