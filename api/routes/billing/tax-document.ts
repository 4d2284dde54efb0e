import { z } from 'zod';
import { CALL_DIRECTIONS, CALL_KINDS } from '../../../core/model/call/call.js';
import type { InvoiceLine } from '../../../core/model/invoice/lines.js';
import { CURRENCY, idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { sarNumber, type MicroSar } from '../../../core/model/money.js';
import { isoTime } from '../../../core/model/time.js';

/** Members of every invoice and credit note. */
export const documentTotals = {
  id: idOutput,
  issued_at: timeOutput,
  net_sar: sar.describe('The sum of the lines, without VAT'),
  vat_percent: z.int(),
  vat_sar: sar,
  total_sar: sar.describe('With VAT'),
  currency: CURRENCY,
};

/** The parties of an invoice or credit note, as they were when it was issued. */
export const documentParties = {
  seller: z.strictObject({ name_ar: z.string(), name_en: z.string(), vat_number: z.string(), address: z.string() }),
  buyer: z.strictObject({ name: z.string() }),
};

/** Members of every line; `amount_sar` means something different in each document. */
export const documentLine = {
  project_id: idOutput,
  project_name: z.string(),
  kind: z.enum(['calls', 'numbers', 'usage']).describe('`numbers`: monthly fees'),
  direction: z.enum(CALL_DIRECTIONS).nullable(),
  call_kind: z.enum(CALL_KINDS).nullable(),
  usage_type: z.string().nullable().describe('Type of usage other than calls'),
};

interface Totals {
  readonly id: string;
  readonly issued_at: Date;
  readonly net: MicroSar;
  readonly vat_percent: number;
  readonly vat: MicroSar;
  readonly gross: MicroSar;
}

export function presentTotals({ id, issued_at, net, vat_percent, vat, gross }: Totals) {
  return {
    id,
    issued_at: isoTime(issued_at),
    net_sar: sarNumber(net),
    vat_percent,
    vat_sar: sarNumber(vat),
    total_sar: sarNumber(gross),
    currency: 'SAR' as const,
  };
}

type Line = Pick<
  InvoiceLine,
  'month' | 'project_id' | 'project_name' | 'kind' | 'direction' | 'call_kind' | 'usage_type' | 'amount'
>;

export function presentLine(line: Line) {
  const { month, project_id, project_name, kind, direction, call_kind, usage_type, amount } = line;
  return { month, project_id, project_name, kind, direction, call_kind, usage_type, amount_sar: sarNumber(amount) };
}

const PDF = 'application/pdf';

/** The successful response of a route that returns a document as PDF. */
export const pdfResponse = {
  schema: z.string().meta({ format: 'binary' }),
  contentType: PDF,
  description: 'The document',
} as const;

export async function pdfReply(number: string, pdf: Promise<Buffer>) {
  const headers = {
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${number}.pdf"`,
  };
  return { status: 200 as const, raw: await pdf, contentType: PDF, headers };
}
