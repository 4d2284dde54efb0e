import { z } from 'zod';
import type { StoredCreditNote } from '../../../../core/data/repositories/billing/credit-notes.js';
import { INVOICE_STATUSES, type StoredInvoice } from '../../../../core/data/repositories/billing/invoices.js';
import { isMonth, NOT_A_MONTH } from '../../../../core/model/invoice/month.js';
import { idOutput, sar, timeOutput } from '../../../../core/model/objects/fields.js';
import { inSar, toWire } from '../../../../core/model/wire.js';
import type { CreditInvoices } from '../../../../core/services/invoices/crediting.js';
import type { ReadCreditNotes } from '../../../../core/services/invoices/credit-notes.js';
import type { IssueInvoices } from '../../../../core/services/invoices/issuing.js';
import type { ReadInvoices } from '../../../../core/services/invoices/reading.js';
import { documentLine, documentParties, pdfReply, pdfResponse } from '../../billing/tax-document.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { bilingual } from '../../../http/schema/bilingual.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery, idInput } from '../../../http/schema/schemas.js';
import { reading, writing } from '../administrator.js';

const count = z.int().min(0);
const document = {
  id: idOutput,
  organization_id: idOutput,
  number: z.string(),
  series: z.string(),
  sequence: z.int(),
  month: z.string().describe('Calendar month, Riyadh time'),
  issued_at: timeOutput,
  ...documentParties,
  vat_percent: z.int(),
  net_sar: sar,
  vat_sar: sar,
  gross_sar: sar.describe('With VAT'),
};
const lineMonth = z.string().describe('Month of the usage');

const invoice = z
  .strictObject({
    ...document,
    exact_sar: sar.describe('The sum of the lines before rounding'),
    balance_exact_sar: sar,
    balance_net_sar: sar.describe('What the balance paid before the invoice was issued'),
    balance_vat_sar: sar,
    due_net_sar: sar,
    due_vat_sar: sar,
    due_sar: sar.describe('Amount due at issue, with VAT'),
    status: z.enum(INVOICE_STATUSES),
    payment_id: idOutput.nullable(),
    paid_at: timeOutput.nullable(),
    credited_net_sar: sar,
    credited_vat_sar: sar,
    outstanding_net_sar: sar,
    outstanding_vat_sar: sar,
    lines: z.array(
      z.strictObject({
        month: lineMonth,
        ...documentLine,
        quantity: z.int(),
        seconds: z.int().nullable(),
        exact_sar: sar,
        amount_sar: sar,
      }),
    ),
  })
  .meta({ id: 'AdministeredInvoice' });

const creditNote = z
  .strictObject({
    ...document,
    invoice_id: idOutput,
    invoice_number: z.string(),
    invoice_issued_at: timeOutput,
    reference: z.string().describe('The operator’s own reference'),
    reason: z.string(),
    lines: z.array(
      z.strictObject({ line: z.int().describe('From 1'), month: lineMonth, ...documentLine, amount_sar: sar }),
    ),
  })
  .meta({ id: 'AdministeredCreditNote' });

const run = z
  .strictObject({
    month: z.string(),
    issued: z.array(
      z.strictObject({
        number: z.string().nullable().describe('Null in a dry run'),
        organization_id: idOutput,
        organization: z.string(),
        net_sar: sar,
        vat_sar: sar,
        gross_sar: sar,
        due_sar: sar,
      }),
    ),
    already: count.describe('Organizations that have an invoice of the month'),
    without: count.describe('Organizations with nothing to pay'),
    failed: z.array(z.strictObject({ organization_id: idOutput, organization: z.string(), reason: z.string() })),
    unrated_calls: count.describe('Calls that are on the next invoice'),
  })
  .meta({ id: 'InvoiceRun' });

const params = z.strictObject({ number: z.string() });
const organization_id = idInput.optional().describe('Only those of this organization');

export interface AdministeredInvoicesServices {
  readonly issue: IssueInvoices;
  readonly read: ReadInvoices;
  readonly credit: CreditInvoices;
  readonly readCredits: ReadCreditNotes;
}

/** Invoices and credit notes of all organizations. Amounts are exact, with up to six decimals. */
export function administeredInvoiceRoutes({ issue, read, credit, readCredits }: AdministeredInvoicesServices): Route[] {
  return [
    route({
      ...writing,
      path: '/v1/admin/invoices/run',
      operationId: 'runInvoices',
      summary: 'Issue the invoices of a past month',
      summaryAr: 'إصدار فواتير شهر سابق',
      description:
        'For all organizations, or for one. An organization that has an invoice of the month gets no other one, so a run can be repeated. The answer comes when all are issued.',
      body: z.strictObject({
        month: z
          .string()
          .max(20)
          .describe('Of Riyadh')
          .meta({ examples: ['2026-10'] }),
        organization_id: idInput.nullable().default(null),
        dry_run: z.boolean().default(false).describe('Only returns what would be issued; also of the current month'),
      }),
      auditFields: ['month', 'organization_id', 'dry_run'],
      responses: { 200: { schema: run, description: 'What was issued, and what was not' } },
      errors: ['INVOICE_SELLER_MISSING'],
      handler: async ({ body: { month, organization_id: id, dry_run }, note }) => {
        const { issued, ...rest } = await issue.run(month, id, dry_run);
        note({ ...(id !== null && { organizationId: id }), details: { issued: issued.length } });
        const shown = issued.map((one) => inSar(one, 'net', 'vat', 'gross', 'due'));
        return { status: 200, body: { ...rest, issued: shown } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/invoices',
      operationId: 'listAdministeredInvoices',
      summary: 'List the invoices of all organizations',
      summaryAr: 'عرض فواتير جميع المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        organization_id,
        month: z.string().refine(isMonth, bilingual(NOT_A_MONTH.en, NOT_A_MONTH.ar)).optional(),
        status: z.enum(INVOICE_STATUSES).optional(),
      }),
      responses: { 200: { schema: cursorList(invoice), description: 'One page' } },
      errors: [],
      handler: async ({
        query: { cursor, limit, organization_id: id = null, month = null, status = null },
        cursors,
      }) => {
        const rows = await read.page(id, { month, status }, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, (row) => row.id, presentInvoice) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/invoices/:number/pdf',
      operationId: 'getAdministeredInvoicePdf',
      summary: 'Download an invoice of any organization as PDF',
      summaryAr: 'تنزيل فاتورة أي مؤسسة بصيغة PDF',
      params,
      responses: { 200: pdfResponse },
      errors: ['INVOICE_NOT_FOUND'],
      handler: async ({ params: { number } }) => {
        const found = await read.findByNumber(number);
        return pdfReply(found.number, read.pdf(found));
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/invoices/:number/credit',
      operationId: 'creditInvoice',
      summary: 'Issue a credit note',
      summaryAr: 'إصدار إشعار دائن',
      description:
        'For all of an invoice that is not credited yet, or for a part of it. Each reference credits it once.',
      params,
      body: z.strictObject({
        line: z.int().min(1).max(999_999).nullable().default(null).describe('Only this line, from 1'),
        amount_sar: amountInput(2, 0.01).nullable().default(null).describe('Only this amount, without VAT'),
        reason: z.string().min(1).max(250).describe('Printed on the credit note'),
        reference: z.string().min(1).max(250).describe('Your own reference'),
      }),
      auditFields: ['line', 'amount_sar', 'reason', 'reference'],
      responses: {
        200: {
          schema: z.strictObject({
            issued: z.boolean().describe('False if it was issued before'),
            credit_note: creditNote,
          }),
          description: 'The credit note',
        },
      },
      errors: ['INVOICE_NOT_FOUND'],
      handler: async ({ params: { number }, body: { amount_sar, ...wanted }, note }) => {
        const amount = amount_sar === null ? null : micros(amount_sar);
        const made = await credit.issue({ ...wanted, invoice: number, amount }, 'request');
        const { organization_id: organizationId, number: credit_note } = made.note;
        note({ organizationId, details: { credit_note, issued: made.isNew } });
        return { status: 200, body: { issued: made.isNew, credit_note: presentNote(made.note) } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/credit-notes',
      operationId: 'listAdministeredCreditNotes',
      summary: 'List the credit notes of all organizations',
      summaryAr: 'عرض الإشعارات الدائنة لجميع المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({ ...cursorQuery, organization_id }),
      responses: { 200: { schema: cursorList(creditNote), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, organization_id: id = null }, cursors }) => {
        const rows = await readCredits.page(id, null, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, (row) => row.id, presentNote) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/credit-notes/:number/pdf',
      operationId: 'getAdministeredCreditNotePdf',
      summary: 'Download a credit note of any organization as PDF',
      summaryAr: 'تنزيل إشعار دائن لأي مؤسسة بصيغة PDF',
      params,
      responses: { 200: pdfResponse },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { number } }) => {
        const found = await readCredits.findByNumber(number);
        return pdfReply(found.number, readCredits.pdf(found));
      },
    }),
  ];
}

function presentInvoice({ lines, ...row }: StoredInvoice): z.output<typeof invoice> {
  const amounts = inSar(
    row,
    ...(['exact', 'net', 'vat', 'gross', 'balance_exact', 'balance_net', 'balance_vat'] as const),
    ...(['due_net', 'due_vat', 'due', 'credited_net', 'credited_vat', 'outstanding_net', 'outstanding_vat'] as const),
  );
  return toWire({ ...amounts, lines: lines.map((line) => inSar(line, 'exact', 'amount')) }) as z.output<typeof invoice>;
}

function presentNote({ lines, ...row }: StoredCreditNote): z.output<typeof creditNote> {
  const amounts = inSar(row, 'net', 'vat', 'gross');
  return toWire({ ...amounts, lines: lines.map((line) => inSar(line, 'amount')) }) as z.output<typeof creditNote>;
}
