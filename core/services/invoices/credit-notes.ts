import type { CreditNotes, StoredCreditNote } from '../../data/repositories/billing/credit-notes.js';
import { HatifError } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { InvoicePrinter } from '../../ports/invoice-document.js';

/** Reads credit notes for the API and the command line. */
export class ReadCreditNotes {
  constructor(
    private readonly creditNotes: CreditNotes,
    private readonly printer: Pick<InvoicePrinter, 'printCredit'>,
  ) {}

  /** @throws HatifError NOT_FOUND */
  async get(organizationId: string, id: string): Promise<StoredCreditNote> {
    return found(await this.creditNotes.get(organizationId, id), id);
  }

  /** @throws HatifError NOT_FOUND */
  async findByNumber(number: string): Promise<StoredCreditNote> {
    return found(await this.creditNotes.findByNumber(number), number);
  }

  /**
   * Returns credit notes newest first, only those before `beforeId` if it is given. @param organizationId null lists all
   * organizations'. @param invoiceId null lists those of all invoices
   */
  page(
    organizationId: string | null,
    invoiceId: string | null,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredCreditNote[]> {
    return this.creditNotes.page(organizationId, invoiceId, beforeId, limit);
  }

  /** @throws HatifError as {@link findByNumber} does */
  async pdfOf(number: string): Promise<Buffer> {
    return this.pdf(await this.findByNumber(number));
  }

  pdf(note: StoredCreditNote): Promise<Buffer> {
    return this.printer.printCredit(note);
  }
}

function found(note: StoredCreditNote | null, id: string): StoredCreditNote {
  if (note) return note;
  throw noCreditNote(id);
}

export function noCreditNote(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the credit note ${id}`, ar: arabic`الإشعار الدائن ${id}` } });
}
