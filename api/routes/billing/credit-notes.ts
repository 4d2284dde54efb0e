import { z } from 'zod';
import { idOutput, sar } from '../../../core/model/objects/fields.js';
import type { StoredCreditNote } from '../../../core/data/repositories/billing/credit-notes.js';
import type { Caller } from '../../../core/services/access/caller.js';
import { noCreditNote, type ReadCreditNotes } from '../../../core/services/invoices/credit-notes.js';
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

const summary = {
  ...documentTotals,
  number: z.string().meta({ examples: ['CN-2026-000001'] }),
  invoice_id: idOutput,
  invoice_number: z.string().meta({ examples: ['INV-2026-000001'] }),
  reason: z.string(),
};
const listed = z.strictObject(summary).meta({ id: 'CreditNoteSummary' });

const creditNote = z
  .strictObject({
    ...summary,
    ...documentParties,
    lines: z.array(
      z.strictObject({
        line: z.int().describe('Position of the credited line on the invoice, from 1'),
        month: z.string().meta({ examples: ['2026-10'] }),
        ...documentLine,
        amount_sar: sar.describe('Credited, without VAT'),
      }),
    ),
  })
  .meta({ id: 'CreditNote' });

function present(row: StoredCreditNote): z.output<typeof listed> {
  const { number, invoice_id, invoice_number, reason } = row;
  return { ...presentTotals(row), number, invoice_id, invoice_number, reason };
}

function presentWhole(row: StoredCreditNote): z.output<typeof creditNote> {
  const { seller, buyer } = row;
  const lines = row.lines.map((line) => ({ line: line.line, ...presentLine(line) }));
  return { ...present(row), seller, buyer, lines };
}

/** Routes that read credit notes, which only the operator issues. */
export function creditNoteRoutes({ creditNotes }: { readonly creditNotes: ReadCreditNotes }): Route[] {
  const reading = { method: 'GET', tag: 'Billing', scope: 'billing:read', keyKind: 'any' } as const;
  const params = z.strictObject({ id: idParam('NOT_FOUND') });
  const noteOf = (caller: Caller, id: string): ReturnType<ReadCreditNotes['get']> => {
    if (caller.sandbox) throw noCreditNote(id);
    return creditNotes.get(caller.organization.id, id);
  };
  return [
    route({
      ...reading,
      path: '/v1/credit-notes',
      operationId: 'listCreditNotes',
      summary: 'List the organization’s credit notes',
      summaryAr: 'عرض الإشعارات الدائنة للمؤسسة',
      description:
        'Newest first, without lines. Read a credit note to get its lines. Nothing is invoiced in the sandbox: a sandbox key sees none.',
      query: z.strictObject({
        ...cursorQuery,
        invoice_id: z.string().max(255).optional().describe('Only those of this invoice'),
      }),
      responses: { 200: { schema: cursorList(listed), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, invoice_id = null }, cursors }) => {
        const beforeId = cursors.read(cursor);
        const rows = caller.sandbox
          ? []
          : await creditNotes.page(caller.organization.id, invoice_id, beforeId, limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/credit-notes/:id',
      operationId: 'getCreditNote',
      summary: 'Read a credit note',
      summaryAr: 'قراءة إشعار دائن',
      description: 'Credit notes never change. The credited amount without VAT returns to the organization’s pool.',
      params,
      responses: { 200: { schema: creditNote, description: 'The credit note with its lines' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: presentWhole(await noteOf(caller, id)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/credit-notes/:id/pdf',
      operationId: 'getCreditNotePdf',
      summary: 'Download a credit note as PDF',
      summaryAr: 'تنزيل إشعار دائن بصيغة PDF',
      description: 'In Arabic and English, with the QR code of Saudi tax invoices.',
      params,
      responses: { 200: pdfResponse },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        const note = await noteOf(caller, id);
        return pdfReply(note.number, creditNotes.pdf(note));
      },
    }),
  ];
}
