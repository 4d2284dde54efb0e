import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { MicroSar } from '../../model/money.js';
import type { PaymentStatus } from '../../model/payment.js';
import type { PaymentPosting } from './posting.js';
import type { NewRefund, PaymentRefunds } from './refunds.js';

/** The operator's actions on payments. */
export class PaymentAdministration {
  constructor(
    private readonly payments: Payments,
    private readonly posting: PaymentPosting,
    private readonly refunds: PaymentRefunds,
  ) {}

  /** Payments of all organizations, newest first. @param before the last one of the page before */
  list(status: PaymentStatus | null, limit: number, before: string | null = null): Promise<PaymentRow[]> {
    return this.payments.page(null, status, before, limit);
  }

  /**
   * Confirms that an amount has arrived. Idempotent.
   * @param bankReference the bank's reference of the transfer
   * @throws HatifError PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH, which the payment shows from then on
   */
  async confirm(
    reference: string,
    paid: MicroSar,
    bankReference: string | null,
  ): Promise<{ row: PaymentRow; isNew: boolean }> {
    const before = await this.#find(reference);
    const row = await this.posting.apply(before.id, { status: 'succeeded', paid, providerReference: bankReference });
    return { row, isNew: before.status !== 'succeeded' };
  }

  /**
   * Marks a payment as failed; the customer sees the reason. A payment that has ended is not changed. @throws
   * HatifError PAYMENT_NOT_FOUND
   */
  async reject(reference: string, reason: string): Promise<PaymentRow> {
    const { id, method } = await this.#find(reference);
    // A customer may be about to pay at the gateway, so the payment must be closed there.
    return this.posting.apply(id, { status: 'failed', reason }, { isOpenAtProvider: method === 'gateway' });
  }

  /**
   * Books a refund of the payment with this reference. @throws HatifError PAYMENT_NOT_FOUND, and as
   * {@link PaymentRefunds.refund}
   */
  async refund(reference: string, refund: NewRefund): ReturnType<PaymentRefunds['refund']> {
    return this.refunds.refund((await this.#find(reference)).id, refund);
  }

  /** Finds a payment by its reference, ignoring case, spaces and dashes. */
  async #find(reference: string): Promise<PaymentRow> {
    const row = await this.payments.byReference(reference.replace(/[\s-]/g, '').toUpperCase());
    if (!row) throw new HatifError('PAYMENT_NOT_FOUND', { id: reference });
    return row;
  }
}
