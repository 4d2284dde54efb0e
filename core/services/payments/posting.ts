import type { Database, Queryable } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { Invoices } from '../../data/repositories/billing/invoices.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { PaymentChanges, Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { formatSar } from '../../model/money.js';
import { canPaymentMove, type PaymentMethod, type PaymentStatus } from '../../model/payment.js';
import type { Clock } from '../../ports/clock.js';
import type { ProviderState } from '../../ports/payment.js';
import { presentPayment } from './present.js';

/** Counts payment outcomes. */
export interface PaymentObserver {
  ended(method: PaymentMethod, status: PaymentStatus): void;
  /** A payment arrived with a different amount than was due; the operator has to review it. */
  mismatched(method: PaymentMethod): void;
  /** A gateway did not answer a request. */
  unanswered(): void;
}

export interface PaymentPostingOptions {
  readonly db: Database;
  readonly payments: Payments;
  readonly ledger: Ledger;
  readonly invoices: Pick<Invoices, 'markPaid'>;
  readonly observer: PaymentObserver;
  readonly clock: Clock;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

export interface ApplyOptions {
  /** Only match a payment of this method; others are treated as not found. */
  readonly method?: PaymentMethod;
  /** If the payment ends with this state: whether it must still be closed at the provider. */
  readonly isOpenAtProvider?: boolean;
}

interface Applied {
  readonly row: PaymentRow;
  readonly lanes: readonly string[];
  readonly before: PaymentRow;
  readonly isMismatch: boolean;
}

/**
 * Applies provider states to payments. Notices, polls and the operator's decisions all come through here, in any order,
 * repeated or concurrent. The state change, the ledger entries and the event are one transaction, so money is posted at
 * most once.
 */
export class PaymentPosting {
  constructor(private readonly options: PaymentPostingOptions) {}

  /**
   * Applies the provider's state of a payment. Idempotent.
   * @throws HatifError PAYMENT_NOT_FOUND; PAYMENT_AMOUNT_MISMATCH, which is recorded with the payment, and nothing is
   * posted
   */
  async apply(id: string, state: ProviderState, options: ApplyOptions = {}): Promise<PaymentRow> {
    const { db, observer, wake } = this.options;
    const { row, lanes, before, isMismatch } = await db.transaction((tx) => this.#apply(tx, id, state, options));
    if (lanes.length > 0) wake(lanes);
    if (row.status !== before.status) observer.ended(row.method, row.status);
    if (!isMismatch || state.status !== 'succeeded') return row;
    if (row.paid !== before.paid) observer.mismatched(row.method);
    throw new HatifError('PAYMENT_AMOUNT_MISMATCH', {
      paid_sar: formatSar(state.paid),
      expected_sar: formatSar(row.amount + row.vat),
    });
  }

  async #apply(tx: Queryable, id: string, state: ProviderState, options: ApplyOptions): Promise<Applied> {
    const before = await this.options.payments.lock(id, options.method ?? null, tx);
    if (!before) throw new HatifError('PAYMENT_NOT_FOUND', { id });
    const unchanged: Applied = { row: before, lanes: [], before, isMismatch: false };
    if (state.status === 'pending') return { ...unchanged, row: await this.#stillPending(tx, before, state) };
    if (state.status === 'succeeded') return this.#succeeded(tx, unchanged, state);
    if (!canPaymentMove(before.status, state.status)) {
      return { ...unchanged, row: await this.#alreadyEnded(tx, before, options) };
    }
    const { status, reason } = state;
    const error_code = status === 'failed' ? 'PAYMENT_FAILED' : before.error_code;
    return { ...unchanged, ...(await this.#end(tx, before, status, { error_code, reason }, options)) };
  }

  async #stillPending(
    tx: Queryable,
    row: PaymentRow,
    { checkoutUrl, providerReference }: Extract<ProviderState, { status: 'pending' }>,
  ): Promise<PaymentRow> {
    if (row.status !== 'pending') return row;
    const checkout_url = checkoutUrl ?? row.checkout_url;
    const provider_reference = providerReference ?? row.provider_reference;
    if (checkout_url === row.checkout_url && provider_reference === row.provider_reference) return row;
    return this.options.payments.change(row.id, { checkout_url, provider_reference }, tx);
  }

  async #succeeded(
    tx: Queryable,
    unchanged: Applied,
    { paid, providerReference }: Extract<ProviderState, { status: 'succeeded' }>,
  ): Promise<Applied> {
    const { row } = unchanged;
    const isMismatch = paid !== row.amount + row.vat;
    if (row.status === 'succeeded') return { ...unchanged, isMismatch };
    const known = { paid, provider_reference: providerReference ?? row.provider_reference };
    if (!isMismatch) {
      await this.#post(tx, row);
      return { ...unchanged, ...(await this.#end(tx, row, 'succeeded', { ...known, error_code: null, reason: null })) };
    }
    const changes = { ...known, error_code: 'PAYMENT_AMOUNT_MISMATCH', reason: null } as const;
    // The gateway has finished this payment; a customer who pays by transfer can still send the rest.
    if (row.method === 'gateway' && row.status === 'pending') {
      return { ...unchanged, isMismatch, ...(await this.#end(tx, row, 'failed', changes)) };
    }
    return { ...unchanged, isMismatch, row: await this.options.payments.change(row.id, changes, tx) };
  }

  /** The payment has already ended. */
  async #alreadyEnded(tx: Queryable, row: PaymentRow, { isOpenAtProvider = false }: ApplyOptions): Promise<PaymentRow> {
    if (isOpenAtProvider || row.next_check_at === null) return row;
    return this.options.payments.change(row.id, { next_check_at: null }, tx);
  }

  async #end(
    tx: Queryable,
    row: PaymentRow,
    status: Exclude<PaymentStatus, 'pending'>,
    changes: PaymentChanges,
    { isOpenAtProvider = false }: ApplyOptions = {},
  ): Promise<{ row: PaymentRow; lanes: readonly string[] }> {
    const { payments, clock } = this.options;
    const now = clock.now();
    const ended: PaymentChanges = { ...changes, status, ended_at: now, next_check_at: isOpenAtProvider ? now : null };
    const after = await payments.change(row.id, ended, tx);
    const lanes = await recordEvent(
      tx,
      projectEvent({
        organization_id: row.organization_id,
        project_id: row.project_id,
        sandbox: false,
        type: status === 'succeeded' ? 'payment.succeeded' : 'payment.failed',
        data: presentPayment(after, null),
        created_at: now,
      }),
    );
    return { row: after, lanes };
  }

  /**
   * Credits the net amount to the pool and the tax to the tax account. A payment for an invoice that was already paid
   * is posted too, so that the money is not lost.
   */
  async #post(tx: Queryable, row: PaymentRow): Promise<void> {
    const { ledger, invoices, clock } = this.options;
    const { id, organization_id, invoice_id, amount, vat, reference } = row;
    if (invoice_id !== null) await invoices.markPaid(tx, invoice_id, id, clock.now());
    const of = (type: 'pool' | 'vat' | 'payments', amount: number) => ({ type, projectId: null, amount });
    const entries = [of('pool', amount), of('vat', vat), of('payments', -amount - vat)].filter(
      (entry) => entry.amount !== 0,
    );
    const posting = { organizationId: organization_id, kind: 'payment', reference: id, note: reference, entries };
    const posted = await ledger.post(tx, [posting], clock.now());
    if (posted.size !== 1) throw new Error(`payment ${id} is already in the ledger although it has not succeeded`);
  }
}
