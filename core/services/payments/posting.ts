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

/** Counts what becomes of payments. */
export interface PaymentObserver {
  ended(method: PaymentMethod, status: PaymentStatus): void;
  /** Another amount has arrived than was due: somebody has to look at it. */
  mismatched(method: PaymentMethod): void;
  /** A gateway did not say what it was asked. */
  unanswered(): void;
}

export interface PaymentPostingOptions {
  readonly db: Database;
  readonly payments: Payments;
  readonly ledger: Ledger;
  readonly invoices: Pick<Invoices, 'markPaid'>;
  readonly observer: PaymentObserver;
  readonly clock: Clock;
  /** There is something to deliver in these lanes. */
  readonly wake: (lanes: readonly string[]) => void;
}

export interface Learning {
  /** Only a payment of this method; all others are not found. */
  readonly method?: PaymentMethod;
  /** Where it is over with this: whether it must be closed at the provider yet. */
  readonly isOpenThere?: boolean;
}

interface Learnt {
  readonly row: PaymentRow;
  readonly lanes: readonly string[];
  readonly before: PaymentRow;
  readonly isMismatch: boolean;
}

/**
 * How payments go on: whatever is heard of them, from whomever, however often and at the same time, comes in here. The move, the ledger's entries
 * and the event are one transaction, so money is booked once or not at all.
 */
export class PaymentPosting {
  constructor(private readonly options: PaymentPostingOptions) {}

  /**
   * The payment stands like this where it is made. What is known already changes nothing.
   * @throws HatifError PAYMENT_NOT_FOUND; PAYMENT_AMOUNT_MISMATCH, which is noted with the payment, and nothing is booked
   */
  async learn(id: string, state: ProviderState, learning: Learning = {}): Promise<PaymentRow> {
    const { db, observer, wake } = this.options;
    const { row, lanes, before, isMismatch } = await db.transaction((tx) => this.#learn(tx, id, state, learning));
    if (lanes.length > 0) wake(lanes);
    if (row.status !== before.status) observer.ended(row.method, row.status);
    if (!isMismatch || state.status !== 'succeeded') return row;
    if (row.paid !== before.paid) observer.mismatched(row.method);
    throw new HatifError('PAYMENT_AMOUNT_MISMATCH', {
      paid_sar: formatSar(state.paid),
      expected_sar: formatSar(row.amount + row.vat),
    });
  }

  async #learn(tx: Queryable, id: string, state: ProviderState, learning: Learning): Promise<Learnt> {
    const before = await this.options.payments.lock(id, learning.method ?? null, tx);
    if (!before) throw new HatifError('PAYMENT_NOT_FOUND', { id });
    const unchanged: Learnt = { row: before, lanes: [], before, isMismatch: false };
    if (state.status === 'pending') return { ...unchanged, row: await this.#goesOn(tx, before, state) };
    if (state.status === 'succeeded') return this.#arrived(tx, unchanged, state);
    if (!canPaymentMove(before.status, state.status)) {
      return { ...unchanged, row: await this.#leave(tx, before, learning) };
    }
    const { status, reason } = state;
    const error_code = status === 'failed' ? 'PAYMENT_FAILED' : before.error_code;
    return { ...unchanged, ...(await this.#end(tx, before, status, { error_code, reason }, learning)) };
  }

  async #goesOn(
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

  async #arrived(
    tx: Queryable,
    unchanged: Learnt,
    { paid, providerReference }: Extract<ProviderState, { status: 'succeeded' }>,
  ): Promise<Learnt> {
    const { row } = unchanged;
    const isMismatch = paid !== row.amount + row.vat;
    if (row.status === 'succeeded') return { ...unchanged, isMismatch };
    const known = { paid, provider_reference: providerReference ?? row.provider_reference };
    if (!isMismatch) {
      await this.#book(tx, row);
      return { ...unchanged, ...(await this.#end(tx, row, 'succeeded', { ...known, error_code: null, reason: null })) };
    }
    const noted = { ...known, error_code: 'PAYMENT_AMOUNT_MISMATCH', reason: null } as const;
    // The gateway is through with it; who transfers money can send what is missing.
    if (row.method === 'gateway' && row.status === 'pending') {
      return { ...unchanged, isMismatch, ...(await this.#end(tx, row, 'failed', noted)) };
    }
    return { ...unchanged, isMismatch, row: await this.options.payments.change(row.id, noted, tx) };
  }

  /** It is over already. */
  async #leave(tx: Queryable, row: PaymentRow, { isOpenThere = false }: Learning): Promise<PaymentRow> {
    if (isOpenThere || row.next_check_at === null) return row;
    return this.options.payments.change(row.id, { next_check_at: null }, tx);
  }

  async #end(
    tx: Queryable,
    row: PaymentRow,
    status: Exclude<PaymentStatus, 'pending'>,
    changes: PaymentChanges,
    { isOpenThere = false }: Learning = {},
  ): Promise<{ row: PaymentRow; lanes: readonly string[] }> {
    const { payments, clock } = this.options;
    const now = clock.now();
    const ended: PaymentChanges = { ...changes, status, ended_at: now, next_check_at: isOpenThere ? now : null };
    const after = await payments.change(row.id, ended, tx);
    const lanes = await recordEvent(
      tx,
      projectEvent({
        organization_id: row.organization_id,
        project_id: row.project_id,
        type: status === 'succeeded' ? 'payment.succeeded' : 'payment.failed',
        data: presentPayment(after, null),
        created_at: now,
      }),
    );
    return { row: after, lanes };
  }

  /** The pool gets the net, the tax authority's account the tax, and what was paid before all the same: it is not lost. */
  async #book(tx: Queryable, row: PaymentRow): Promise<void> {
    const { ledger, invoices, clock } = this.options;
    const { id, organization_id, invoice_id, amount, vat, reference } = row;
    if (invoice_id !== null) await invoices.markPaid(tx, invoice_id, id, clock.now());
    const of = (type: 'pool' | 'vat' | 'payments', amount: number) => ({ type, projectId: null, amount });
    const entries = [of('pool', amount), of('vat', vat), of('payments', -amount - vat)].filter(
      (entry) => entry.amount !== 0,
    );
    const posting = { organizationId: organization_id, kind: 'payment', reference: id, note: reference, entries };
    const posted = await ledger.post(tx, [posting], clock.now());
    if (posted.size !== 1) throw new Error(`payment ${id} is in the ledger before it has succeeded`);
  }
}
