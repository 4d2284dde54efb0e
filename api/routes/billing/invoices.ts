import { z } from 'zod';
import { idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { INVOICE_STATUSES, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { isMonth, NOT_A_MONTH } from '../../../core/model/invoice/month.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { sarNumber } from '../../../core/model/money.js';
import { isoTime } from '../../../core/model/time.js';
import { minutesOf } from '../../../core/model/usage.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { ReadInvoices } from '../../../core/services/invoices/reading.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import {
  documentLine,
  documentParties,
  documentTotals,
  pdfReply,
  pdfResponse,
  presentLine,
  presentTotals,
} from './tax-document.js';

const month = z.string().meta({ examples: ['2026-10'] });

const summary = {
  ...documentTotals,
  number: z.string().meta({ examples: ['INV-2026-000001'] }),
  month: month.describe('Calendar month, Riyadh time'),
  status: z.enum(INVOICE_STATUSES).describe('`paid` if nothing is outstanding'),
  paid_from_balance_sar: sar.describe('Part of the total that was paid from the balance before the invoice was issued'),
  due_sar: sar.describe('Amount due at issue, with VAT'),
  credited_sar: sar.describe('The sum of its credit notes, with VAT'),
  outstanding_sar: sar.describe('What is still to be paid: `due_sar` less credits, and 0 once it is paid'),
  payment_id: idOutput.nullable(),
  paid_at: timeOutput.nullable().describe('When a payment settled it'),
};
const listed = z.strictObject(summary).meta({ id: 'InvoiceSummary' });

const invoice = z
  .strictObject({
    ...summary,
    ...documentParties,
    lines: z.array(
      z.strictObject({
        month: month.describe(
          'Month of the usage; an earlier month than the invoice’s is usage reported after that month was invoiced',
        ),
        ...documentLine,
        quantity: z.int().describe('Number of call legs, of months of numbers, or of units'),
        minutes: z.number().nullable().describe('Billed minutes of calls'),
        amount_sar: sar.describe('Without VAT'),
      }),
    ),
  })
  .meta({ id: 'Invoice' });

function present(row: StoredInvoice): z.output<typeof listed> {
  return {
    ...presentTotals(row),
    number: row.number,
    month: row.month,
    status: row.status,
    paid_from_balance_sar: sarNumber(row.balance_net + row.balance_vat),
    due_sar: sarNumber(row.due),
    credited_sar: sarNumber(row.credited_net + row.credited_vat),
    outstanding_sar: row.status === 'paid' ? 0 : sarNumber(row.outstanding_net + row.outstanding_vat),
    payment_id: row.payment_id,
    paid_at: row.paid_at && isoTime(row.paid_at),
  };
}

function presentWhole(row: StoredInvoice): z.output<typeof invoice> {
  const { seller, buyer } = row;
  const lines = row.lines.map((line) => ({
    ...presentLine(line),
    quantity: line.quantity,
    minutes: line.seconds === null ? null : minutesOf(line.seconds),
  }));
  return { ...present(row), seller, buyer, lines };
}

export function invoiceRoutes({ invoices }: { readonly invoices: ReadInvoices }): Route[] {
  const reading = { method: 'GET', tag: 'Billing', scope: 'billing:read', keyKind: 'any' } as const;
  const params = z.strictObject({ id: idParam('INVOICE_NOT_FOUND') });
  const invoiceOf = (caller: Caller, id: string): ReturnType<ReadInvoices['get']> => {
    if (caller.sandbox) throw new HatifError('INVOICE_NOT_FOUND', { id });
    return invoices.get(caller.organization.id, id);
  };
  return [
    route({
      ...reading,
      path: '/v1/invoices',
      operationId: 'listInvoices',
      summary: 'List the organization’s invoices',
      summaryAr: 'عرض فواتير المؤسسة',
      description:
        'Newest first, without lines. Read an invoice to get its lines. Nothing is invoiced in the sandbox: a sandbox key sees none.',
      query: z.strictObject({
        ...cursorQuery,
        month: z.string().refine(isMonth, bilingual(NOT_A_MONTH.en, NOT_A_MONTH.ar)).optional(),
        status: z.enum(INVOICE_STATUSES).optional(),
      }),
      responses: { 200: { schema: cursorList(listed), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, month: of, status }, cursors }) => {
        const filter = { month: of ?? null, status: status ?? null };
        const before = cursors.read(cursor);
        const rows = caller.sandbox ? [] : await invoices.page(caller.organization.id, filter, before, limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/invoices/:id',
      operationId: 'getInvoice',
      summary: 'Read an invoice',
      summaryAr: 'قراءة فاتورة',
      description:
        'Invoices never change. Usage reported after its month was invoiced becomes a line of the next invoice.',
      params,
      responses: { 200: { schema: invoice, description: 'The invoice with its lines' } },
      errors: ['INVOICE_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: presentWhole(await invoiceOf(caller, id)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/invoices/:id/pdf',
      operationId: 'getInvoicePdf',
      summary: 'Download an invoice as PDF',
      summaryAr: 'تنزيل فاتورة بصيغة PDF',
      description: 'In Arabic and English, with the QR code of Saudi tax invoices.',
      params,
      responses: { 200: pdfResponse },
      errors: ['INVOICE_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        const found = await invoiceOf(caller, id);
        return pdfReply(found.number, invoices.pdf(found));
      },
    }),
  ];
}
