import { z } from 'zod';
import { CURRENCY, idOutput } from '../../../core/model/objects/fields.js';
import { paymentObject } from '../../../core/model/objects/payment.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { PAYMENT_METHODS, PAYMENT_STATUSES } from '../../../core/model/payment.js';
import type { PaymentService } from '../../../core/services/payments/manage.js';
import { amountInput, micros } from '../../http/schema/amounts.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';

const TAG = 'Billing';

const EITHER = bilingual(
  'must have either amount_sar or invoice_id',
  'يجب أن يحتوي إما على `amount_sar` أو على `invoice_id`',
);

/** Only web addresses are accepted. */
const returnUrl = z
  .url({
    protocol: /^https$/,
    error: bilingual('must be an https url', 'يجب أن يكون رابط https'),
  })
  .max(2048);

const notice = z
  .looseObject({
    type: z.literal('payment.updated'),
    data: z.looseObject({
      id: idOutput,
      status: z.enum(PAYMENT_STATUSES),
      amount_halalas: z.int(),
      currency: CURRENCY,
    }),
  })
  .meta({ id: 'PaymentNotice' });

const params = z.strictObject({ payment_id: idParam('PAYMENT_NOT_FOUND') });

export function paymentRoutes({ payments }: { readonly payments: PaymentService }): Route[] {
  const reading = { method: 'GET', tag: TAG, scope: 'billing:read', keyKind: 'any' } as const;
  const writing = { method: 'POST', tag: TAG, scope: 'billing:write', keyKind: 'live' } as const;
  return [
    route({
      ...writing,
      path: '/v1/payments',
      operationId: 'createPayment',
      summary: 'Create a payment',
      summaryAr: 'دفع فاتورة أو شحن رصيد المؤسسة',
      description:
        'Pays an invoice (`invoice_id`) or tops up the organization’s pool (`amount_sar`). The pool is credited with `amount_sar` once `total_sar`, which includes value added tax, has arrived. With `bank_transfer`, transfer `total_sar` to the account in `transfer_to` and quote `reference`. With `gateway`, send the customer to `checkout_url`; while it is null, read the payment again. `payment.succeeded` and `payment.failed` tell how it ends.',
      body: z
        .strictObject({
          amount_sar: amountInput(2, 1).max(1_000_000).optional().describe('Amount to add to the pool, without tax'),
          invoice_id: idInput.optional().describe('Invoice whose due amount is paid'),
          method: z.enum(PAYMENT_METHODS),
          return_url: returnUrl.optional().describe('Where the gateway sends the customer afterwards'),
        })
        .refine(({ amount_sar, invoice_id }) => (amount_sar === undefined) !== (invoice_id === undefined), EITHER),
      auditFields: ['amount_sar', 'invoice_id', 'method'],
      responses: { 201: { schema: paymentObject, description: 'The payment' } },
      errors: ['INVOICE_NOT_FOUND', 'PAYMENT_FAILED', 'PAYMENT_AMOUNT_MISMATCH'],
      recover: async ({ requestId }, { caller }) => {
        const made = await payments.findByRequest(requestId, caller.id);
        return made && { status: 201, body: made };
      },
      handler: async ({ caller, requestId, body: { amount_sar, invoice_id = '', method, return_url = null } }) => {
        const payer = {
          organizationId: caller.organization.id,
          projectId: caller.projectId,
          keyId: caller.id,
          requestId,
        };
        const of = amount_sar === undefined ? { invoiceId: invoice_id } : { amount: micros(amount_sar) };
        const wanted = { of, method, returnUrl: return_url };
        return { status: 201, body: await payments.create(wanted, payer) };
      },
    }),
    route({
      ...reading,
      path: '/v1/payments',
      operationId: 'listPayments',
      summary: 'List the project’s payments',
      summaryAr: 'عرض مدفوعات المشروع',
      description: 'Newest first; none for a sandbox key.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PAYMENT_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(paymentObject), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, status = null }, cursors }) => {
        const before = cursors.read(cursor);
        const rows = caller.sandbox ? [] : await payments.list(caller.projectId, status, before, limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id) };
      },
    }),
    route({
      ...reading,
      path: '/v1/payments/:payment_id',
      operationId: 'getPayment',
      summary: 'Read a payment',
      summaryAr: 'حالة عملية دفع',
      params,
      responses: { 200: { schema: paymentObject, description: 'The payment' } },
      errors: ['PAYMENT_NOT_FOUND'],
      handler: async ({ caller, params: { payment_id } }) => {
        if (caller.sandbox) throw new HatifError('PAYMENT_NOT_FOUND', { id: payment_id });
        return { status: 200, body: await payments.get(caller.projectId, payment_id) };
      },
    }),
    route({
      ...writing,
      path: '/v1/payments/:payment_id/cancel',
      operationId: 'cancelPayment',
      summary: 'Cancel a payment',
      summaryAr: 'إلغاء عملية دفع',
      description:
        'A payment that has already ended keeps its `status`. If the customer has paid in the meantime, the payment has succeeded.',
      params,
      responses: { 200: { schema: paymentObject, description: 'The payment as it is now' } },
      errors: ['PAYMENT_NOT_FOUND', 'PAYMENT_AMOUNT_MISMATCH'],
      handler: async ({ caller, params: { payment_id } }) => ({
        status: 200,
        body: await payments.cancel(caller.projectId, payment_id),
      }),
    }),
    route({
      method: 'POST',
      path: '/v1/payments/webhook',
      operationId: 'hearOfPayment',
      summary: 'Receive a payment notice from the gateway',
      summaryAr: 'لبوابة الدفع: حالة عملية دفع',
      description:
        'Not for clients. Signed as Standard Webhooks lays it out (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with the secret that the gateway and the operator agreed on, and no older than five minutes. A repeated notice changes nothing.',
      tag: TAG,
      scope: null,
      keyKind: 'none',
      readsRaw: true,
      body: notice,
      responses: { 204: { schema: null, description: 'Received' } },
      errors: ['WEBHOOK_UNAUTHORIZED', 'WEBHOOK_PAYLOAD_INVALID', 'PAYMENT_NOT_FOUND', 'PAYMENT_AMOUNT_MISMATCH'],
      handler: async ({ raw }) => {
        await payments.handleNotice(raw?.headers ?? {}, raw?.body ?? Buffer.alloc(0));
        return { status: 204 };
      },
    }),
  ];
}
