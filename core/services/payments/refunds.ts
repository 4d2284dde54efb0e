import type { Database, Queryable } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRefundRow, PaymentRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { formatSar, multiplyDivide, roundHalfUp, type MicroSar } from '../../model/money.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit } from '../access/operator-audit.js';

export interface PaymentRefundsOptions {
  readonly db: Database;
  readonly payments: Payments;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export interface NewRefund {
  /** With tax; null for all that is not refunded yet. */
  readonly total: MicroSar | null;
  /** Chosen by the operator: each reference refunds a payment once. */
  readonly reference: string;
  readonly reason: string;
  /** Whether the balance may fall below zero. */
  readonly mayOverdraw: boolean;
}

const NOT_SUCCEEDED = { en: 'has not succeeded', ar: 'لم تنجح عملية الدفع' };
const NOTHING_LEFT = { en: 'is refunded already', ar: 'رُدّ كامل مبلغ عملية الدفع من قبل' };

/** Books refunds of payments. The money itself is sent back at the bank or the gateway. */
export class PaymentRefunds {
  constructor(private readonly options: PaymentRefundsOptions) {}

  /**
   * Refunds a payment or a part of it; the tax is in proportion. The refund, its ledger entries and the audit row are one
   * transaction.
   * @returns the refund, and whether it is new: a repeated reference returns the first one
   * @throws HatifError VALIDATION_ERROR if the payment has not succeeded, or for more than is left of it;
   * INSUFFICIENT_POOL_BALANCE if the pool, or pool and projects together, would fall below zero
   */
  async refund(
    paymentId: string,
    wanted: NewRefund,
  ): Promise<{ readonly refund: PaymentRefundRow; readonly payment: PaymentRow; readonly isNew: boolean }> {
    const { db, payments, clock } = this.options;
    return db.transaction(async (tx) => {
      const locked = await payments.lock(paymentId, null, tx);
      if (!locked) throw new HatifError('PAYMENT_NOT_FOUND', { id: paymentId });
      // Read behind the lock: it may have waited for another refund.
      const refunds = await payments.refunds(locked.id, tx);
      const payment = { ...locked, refunded: refunds.reduce((sum, { total }) => sum + total, 0) };
      const known = refunds.find(({ reference }) => reference === wanted.reference);
      if (known) return { refund: known, payment, isNew: false };
      const refund: PaymentRefundRow = {
        ...amountsOf(payment, refunds, wanted.total),
        id: newId(),
        payment_id: payment.id,
        organization_id: payment.organization_id,
        reference: wanted.reference,
        reason: wanted.reason,
        created_at: clock.now(),
      };
      if (!wanted.mayOverdraw) await this.#checkBalance(tx, refund);
      await payments.addRefund(tx, refund);
      await this.#book(tx, payment, refund);
      return { refund, payment: { ...payment, refunded: payment.refunded + refund.total }, isNew: true };
    });
  }

  async #checkBalance(tx: Queryable, { organization_id, amount }: PaymentRefundRow): Promise<void> {
    const { pool, projects } = await this.options.ledger.lockMoney(tx, organization_id);
    const available = Math.min(pool, pool + projects);
    if (available >= amount) return;
    throw new HatifError('INSUFFICIENT_POOL_BALANCE', { available_sar: formatSar(Math.max(0, available)) });
  }

  async #book(tx: Queryable, payment: PaymentRow, refund: PaymentRefundRow): Promise<void> {
    const { ledger, clock } = this.options;
    const { id, organization_id, amount, vat, total, reason } = refund;
    const of = (type: 'pool' | 'vat' | 'payments', amount: MicroSar) => ({ type, projectId: null, amount });
    const entries = [of('pool', -amount), of('vat', -vat), of('payments', total)].filter((entry) => entry.amount !== 0);
    const posting = {
      organizationId: organization_id,
      kind: 'refund',
      reference: id,
      note: payment.reference,
      entries,
    };
    await ledger.post(tx, [posting], clock.now());
    const details = { payment_id: payment.id, total_sar: formatSar(total), reason };
    const path = `/v1/payments/${payment.id}`;
    const audit = operatorAudit(organization_id, path, 'hatif payments refund', details, clock.now());
    await insertAuditRows(tx, [{ ...audit, project_id: payment.project_id }]);
  }
}

function amountsOf(
  { status, paid, refunded, amount, vat }: PaymentRow,
  refunds: readonly PaymentRefundRow[],
  wanted: MicroSar | null,
): Pick<PaymentRefundRow, 'amount' | 'vat' | 'total'> {
  if (status !== 'succeeded' || paid === null) throw invalidField('payment', NOT_SUCCEEDED);
  const left = paid - refunded;
  if (left <= 0) throw invalidField('payment', NOTHING_LEFT);
  const total = wanted ?? left;
  if (total > left) {
    throw invalidField('amount', {
      en: `must be at most ${formatSar(left)} SAR, which is not refunded yet`,
      ar: arabic`يجب ألا يزيد على ${formatSar(left)} ريال سعودي، وهو ما لم يُرَدّ بعد`,
    });
  }
  // Together, all refunds of a payment have the tax of their sum.
  const taxBefore = refunds.reduce((sum, refund) => sum + refund.vat, 0);
  const tax = roundHalfUp(multiplyDivide(refunded + total, vat, amount + vat)) - taxBefore;
  return { amount: total - tax, vat: tax, total };
}
