import { z } from 'zod';
import { CURRENCY, idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { CALL_DIRECTIONS, CALL_KINDS } from '../../../core/model/call/call.js';
import { INVOICE_STATUSES, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { isMonth, NOT_A_MONTH } from '../../../core/model/invoice/month.js';
import { sarNumber } from '../../../core/model/money.js';
import { isoTime } from '../../../core/model/time.js';
import { minutesOf } from '../../../core/model/usage.js';
import type { ReadInvoices } from '../../../core/services/invoices/reading.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const month = z.string().meta({ examples: ['2026-10'] });

const summary = {
  id: idOutput,
  number: z.string().meta({ examples: ['INV-2026-000001'] }),
  month: month.describe('Calendar month, Riyadh time'),
  status: z.enum(INVOICE_STATUSES).describe('`paid` if nothing is due'),
  issued_at: timeOutput,
  net_sar: sar.describe('The sum of the lines, without VAT'),
  vat_percent: z.int(),
  vat_sar: sar,
  total_sar: sar.describe('With VAT'),
  paid_from_balance_sar: sar.describe('Part of the total that was paid from the balance before the invoice was issued'),
  due_sar: sar.describe('Amount due at issue, with VAT'),
  payment_id: idOutput.nullable(),
  paid_at: timeOutput.nullable().describe('When a payment settled it'),
  currency: CURRENCY,
};
const listed = z.strictObject(summary).meta({ id: 'InvoiceSummary' });

const invoice = z
  .strictObject({
    ...summary,
    seller: z.strictObject({
      name_ar: z.string(),
      name_en: z.string(),
      vat_number: z.string(),
      address: z.string(),
    }),
    buyer: z.strictObject({ name: z.string() }),
    lines: z.array(
      z.strictObject({
        month: month.describe(
          'Month of the usage; an earlier month than the invoice’s is usage reported after that month was invoiced',
        ),
        project_id: idOutput,
        project_name: z.string(),
        kind: z.enum(['calls', 'usage']),
        direction: z.enum(CALL_DIRECTIONS).nullable(),
        call_kind: z.enum(CALL_KINDS).nullable(),
        usage_type: z.string().nullable().describe('Type of usage other than calls'),
        quantity: z.int().describe('Number of call legs, or of units'),
        minutes: z.number().nullable().describe('Billed minutes of calls'),
        amount_sar: sar.describe('Without VAT'),
      }),
    ),
  })
  .meta({ id: 'Invoice' });

function present(row: StoredInvoice): z.output<typeof listed> {
  return {
    id: row.id,
    number: row.number,
    month: row.month,
    status: row.status,
    issued_at: isoTime(row.issued_at),
    net_sar: sarNumber(row.net),
    vat_percent: row.vat_percent,
    vat_sar: sarNumber(row.vat),
    total_sar: sarNumber(row.gross),
    paid_from_balance_sar: sarNumber(row.balance_net + row.balance_vat),
    due_sar: sarNumber(row.due),
    payment_id: row.payment_id,
    paid_at: row.paid_at && isoTime(row.paid_at),
    currency: 'SAR',
  };
}

function presentWhole(row: StoredInvoice): z.output<typeof invoice> {
  const { seller, buyer } = row;
  const lines = row.lines.map((line) => ({
    month: line.month,
    project_id: line.project_id,
    project_name: line.project_name,
    kind: line.kind,
    direction: line.direction,
    call_kind: line.call_kind,
    usage_type: line.usage_type,
    quantity: line.quantity,
    minutes: line.seconds === null ? null : minutesOf(line.seconds),
    amount_sar: sarNumber(line.amount),
  }));
  return { ...present(row), seller, buyer, lines };
}

export function invoiceRoutes({ invoices }: { readonly invoices: ReadInvoices }): Route[] {
  const reading = { method: 'GET', tag: 'Billing', scope: 'billing:read', keyKind: 'live' } as const;
  const params = z.strictObject({ id: idParam('INVOICE_NOT_FOUND') });
  return [
    route({
      ...reading,
      path: '/v1/invoices',
      operationId: 'listInvoices',
      summary: 'List the organization’s invoices',
      summaryAr: 'عرض فواتير المؤسسة',
      description: 'Newest first, without lines. Read an invoice to get its lines.',
      query: z.strictObject({
        ...cursorQuery,
        month: z.string().refine(isMonth, bilingual(NOT_A_MONTH.en, NOT_A_MONTH.ar)).optional(),
        status: z.enum(INVOICE_STATUSES).optional(),
      }),
      responses: { 200: { schema: cursorList(listed), description: 'One page' } },
      errors: [],
      handler: async ({ key, query: { cursor, limit, month: of, status }, cursors }) => {
        const filter = { month: of ?? null, status: status ?? null };
        const rows = await invoices.page(key.organization.id, filter, cursors.read(cursor), limit + 1);
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
      handler: async ({ key, params: { id } }) => ({
        status: 200,
        body: presentWhole(await invoices.get(key.organization.id, id)),
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
      responses: {
        200: { schema: z.string().meta({ format: 'binary' }), contentType: PDF, description: 'The document' },
      },
      errors: ['INVOICE_NOT_FOUND'],
      handler: async ({ key, params: { id } }) => {
        const found = await invoices.get(key.organization.id, id);
        const headers = {
          'Cache-Control': 'private, no-store',
          'Content-Disposition': `attachment; filename="${found.number}.pdf"`,
        };
        return { status: 200, raw: await invoices.pdf(found), contentType: PDF, headers };
      },
    }),
  ];
}

const PDF = 'application/pdf';
