import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { MicroSar } from '../../model/money.js';
import type { PaymentStatus } from '../../model/payment.js';
import type { PaymentPosting } from './posting.js';

/** What the operator does with payments. */
export class PaymentAdministration {
  constructor(
    private readonly payments: Payments,
    private readonly posting: PaymentPosting,
  ) {}

  /** Of all organizations, newest first. */
  list(status: PaymentStatus | null, limit: number): Promise<PaymentRow[]> {
    return this.payments.page(null, status, null, limit);
  }

  /**
   * So much has arrived. Told again it changes nothing.
   * @param bankReference of the transfer, as the bank has it
   * @throws HatifError PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH, which the payment shows from then on
   */
  async confirm(
    reference: string,
    paid: MicroSar,
    bankReference: string | null,
  ): Promise<{ row: PaymentRow; isNew: boolean }> {
    const before = await this.#find(reference);
    const row = await this.posting.learn(before.id, { status: 'succeeded', paid, providerReference: bankReference });
    return { row, isNew: before.status !== 'succeeded' };
  }

  /** Nothing comes of it; the customer is told why. One that is over stays what it is. @throws HatifError PAYMENT_NOT_FOUND */
  async refuse(reference: string, reason: string): Promise<PaymentRow> {
    const { id, method } = await this.#find(reference);
    // A customer may be about to pay at the gateway: it has to be closed there.
    return this.posting.learn(id, { status: 'failed', reason }, { isOpenThere: method === 'gateway' });
  }

  /** As it is written, whatever the case and blanks. */
  async #find(reference: string): Promise<PaymentRow> {
    const row = await this.payments.byReference(reference.replace(/[\s-]/g, '').toUpperCase());
    if (!row) throw new HatifError('PAYMENT_NOT_FOUND', { id: reference });
    return row;
  }
}
