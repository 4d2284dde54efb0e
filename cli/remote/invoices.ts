import type { StoredCreditNote } from '../../core/data/repositories/billing/credit-notes.js';
import type { StoredInvoice } from '../../core/data/repositories/billing/invoices.js';
import type { CreditLine } from '../../core/model/invoice/credit.js';
import type { InvoiceLine } from '../../core/model/invoice/lines.js';
import { exactSarNumber } from '../../core/model/money.js';
import { fromSar, reader, type InSar, type Wire } from '../../core/model/wire.js';
import type { InvoiceRun, IssuedInvoice } from '../../core/services/invoices/issuing.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

const INVOICE_AMOUNTS = [
  ...(['exact', 'net', 'vat', 'gross', 'balance_exact', 'balance_net', 'balance_vat'] as const),
  ...(['due_net', 'due_vat', 'due', 'credited_net', 'credited_vat', 'outstanding_net', 'outstanding_vat'] as const),
];
const NOTE_AMOUNTS = ['net', 'vat', 'gross'] as const;
const RUN_AMOUNTS = ['net', 'vat', 'gross', 'due'] as const;

const readInvoice = reader<StoredInvoice>({ issued_at: true, paid_at: true });
const readNote = reader<StoredCreditNote>({ issued_at: true, invoice_issued_at: true });

type ListedInvoice = InSar<Wire<Omit<StoredInvoice, 'lines'>>, (typeof INVOICE_AMOUNTS)[number]> & {
  readonly lines: readonly InSar<InvoiceLine, 'exact' | 'amount'>[];
};
type ListedNote = InSar<Wire<Omit<StoredCreditNote, 'lines'>>, (typeof NOTE_AMOUNTS)[number]> & {
  readonly lines: readonly InSar<CreditLine, 'amount'>[];
};
type ListedRun = Omit<InvoiceRun, 'issued'> & {
  readonly issued: readonly InSar<IssuedInvoice, (typeof RUN_AMOUNTS)[number]>[];
};

/** Invoices and credit notes. */
export function remoteInvoicing(client: AdminClient): Platform['invoicing'] {
  return {
    issue: {
      run: async (month, organization_id, dry_run) => {
        const { issued, ...run } = await client.send<ListedRun>('POST', '/invoices/run', {
          month,
          organization_id,
          dry_run,
        });
        return {
          ...run,
          issued: issued.map((one) => fromSar<IssuedInvoice, (typeof RUN_AMOUNTS)[number]>(one, ...RUN_AMOUNTS)),
        };
      },
    },
    read: {
      page: async (organization_id, { month }, _before, limit) =>
        (await client.upTo<ListedInvoice>('/invoices', limit, { organization_id, month })).map(invoiceFrom),
      pdfOf: (number) => client.bytes(`/invoices/${segment(number)}/pdf`),
    },
    credit: {
      issue: async ({ invoice, line, amount, reason, reference }) => {
        const body = { line, amount_sar: amount === null ? null : exactSarNumber(amount), reason, reference };
        const made = await client.send<{ issued: boolean; credit_note: ListedNote }>(
          'POST',
          `/invoices/${segment(invoice)}/credit`,
          body,
        );
        return { note: noteFrom(made.credit_note), isNew: made.issued };
      },
    },
    readCredits: {
      page: async (organization_id, _invoice, _before, limit) =>
        (await client.upTo<ListedNote>('/credit-notes', limit, { organization_id })).map(noteFrom),
      pdfOf: (number) => client.bytes(`/credit-notes/${segment(number)}/pdf`),
    },
  };
}

function invoiceFrom({ lines, ...invoice }: ListedInvoice): StoredInvoice {
  type Own = Wire<Omit<StoredInvoice, 'lines'>>;
  const own = fromSar<Own, (typeof INVOICE_AMOUNTS)[number]>(invoice, ...INVOICE_AMOUNTS);
  const read = lines.map((line) => fromSar<InvoiceLine, 'exact' | 'amount'>(line, 'exact', 'amount'));
  return readInvoice({ ...own, lines: read });
}

function noteFrom({ lines, ...note }: ListedNote): StoredCreditNote {
  type Own = Wire<Omit<StoredCreditNote, 'lines'>>;
  const own = fromSar<Own, (typeof NOTE_AMOUNTS)[number]>(note, ...NOTE_AMOUNTS);
  return readNote({ ...own, lines: lines.map((line) => fromSar<CreditLine, 'amount'>(line, 'amount')) });
}
