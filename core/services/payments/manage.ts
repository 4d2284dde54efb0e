import type { PaymentObject } from '../../model/objects/payment.js';
import type { Invoices } from '../../data/repositories/billing/invoices.js';
import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { vatInHalalas, type MicroSar } from '../../model/money.js';
import { newPaymentReference, type PaymentMethod, type PaymentStatus } from '../../model/payment.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import {
  PaymentNoticeError,
  PaymentProviderError,
  type PaymentNotice,
  type PaymentNotices,
  type PaymentProvider,
} from '../../ports/payment.js';
import type { PaymentPosting, PaymentObserver } from './posting.js';
import { openPayment } from './opening.js';
import { presentPayment } from './present.js';

export interface PaymentServiceOptions {
  readonly payments: Payments;
  readonly posting: PaymentPosting;
  readonly invoices: Pick<Invoices, 'get'>;
  /** The ways to pay that are set up; one a method. */
  readonly providers: readonly PaymentProvider[];
  /** Null: no gateway tells us anything. */
  readonly notices: PaymentNotices | null;
  readonly vatPercent: number;
  readonly observer: Pick<PaymentObserver, 'unanswered'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface NewPayment {
  /** What the pool is to get, or the invoice of which the rest is to be paid. */
  readonly of: { readonly amount: MicroSar } | { readonly invoiceId: string };
  readonly method: PaymentMethod;
  readonly returnUrl: string | null;
}

/** By whom and with which request a payment is begun. */
export interface Payer {
  readonly organizationId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** Somebody else looks after a payment where this process dies over it. */
const FIRST_CHECK_MS = 15_000;

const PAID = { en: 'is paid already', ar: 'مدفوعة بالفعل' };
const BEING_PAID = { en: 'has a payment that is pending', ar: 'لها عملية دفع قيد الانتظار' };

/** What customers do with their payments, and what gateways tell of them. */
export class PaymentService {
  constructor(private readonly options: PaymentServiceOptions) {}

  /**
   * Begin a payment. Where the gateway does not answer it is begun as soon as it does.
   * @throws HatifError VALIDATION_ERROR for a method that is not set up, or an invoice that is paid or being paid; INVOICE_NOT_FOUND,
   *   PAYMENT_FAILED, PAYMENT_AMOUNT_MISMATCH
   */
  async create({ of, method, returnUrl }: NewPayment, payer: Payer): Promise<PaymentObject> {
    const { payments, posting, clock } = this.options;
    const provider = this.#provider(method);
    if (!provider) throw invalidField('method', { en: 'is not offered here', ar: 'غير متاحة هنا' });
    const due = await this.#due(payer.organizationId, of);
    const now = clock.now();
    const expires_at = new Date(now.getTime() + provider.lifetimeMs);
    const row: PaymentRow = {
      id: newId(),
      organization_id: payer.organizationId,
      project_id: payer.projectId,
      created_by_key: payer.keyId,
      request_id: payer.requestId,
      method,
      status: 'pending',
      reference: newPaymentReference(),
      ...due,
      paid: null,
      error_code: null,
      reason: null,
      return_url: returnUrl,
      checkout_url: null,
      provider_reference: null,
      checks: 0,
      next_check_at: provider.isPollable ? new Date(now.getTime() + FIRST_CHECK_MS) : expires_at,
      expires_at,
      created_at: now,
      ended_at: null,
    };
    if (!(await payments.insert(row))) throw invalidField('invoice_id', BEING_PAID);
    const state = await this.#answerOf(row, () => openPayment(provider, row));
    const opened = state ? await posting.learn(row.id, state) : row;
    if (opened.status !== 'failed') return this.#present(opened);
    throw new HatifError('PAYMENT_FAILED', { reason: opened.reason ?? method });
  }

  /** What a request made whose process died over it. */
  async ofRequest(requestId: string, keyId: string): Promise<PaymentObject | null> {
    const row = await this.options.payments.ofRequest(requestId, keyId);
    return row && this.#present(row);
  }

  async list(
    organizationId: string,
    status: PaymentStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<PaymentObject[]> {
    const rows = await this.options.payments.page(organizationId, status, beforeId, limit);
    return rows.map((row) => this.#present(row));
  }

  /** @throws HatifError PAYMENT_NOT_FOUND */
  async get(organizationId: string, id: string): Promise<PaymentObject> {
    return this.#present(await this.#row(organizationId, id));
  }

  /**
   * Nobody is to pay it any more. One that is over stays what it is, and one that the gateway says was paid has succeeded.
   * @throws HatifError PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH
   */
  async cancel(organizationId: string, id: string): Promise<PaymentObject> {
    const row = await this.#row(organizationId, id);
    if (row.status !== 'pending') return this.#present(row);
    const provider = this.#provider(row.method);
    const cancelled = { status: 'cancelled', reason: null } as const;
    const state = provider ? await this.#answerOf(row, () => provider.close(id)) : cancelled;
    return this.#present(await this.options.posting.learn(id, state ?? cancelled, { isOpenThere: state === null }));
  }

  /**
   * A gateway tells how a payment stands.
   * @throws HatifError WEBHOOK_UNAUTHORIZED, WEBHOOK_PAYLOAD_INVALID, PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH
   */
  async hear(headers: Readonly<Record<string, string>>, body: Buffer): Promise<void> {
    const notice = this.#read(headers, body);
    if (notice) await this.options.posting.learn(notice.paymentId, notice.state, { method: 'gateway' });
  }

  #read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null {
    const { notices } = this.options;
    if (!notices) throw new HatifError('WEBHOOK_UNAUTHORIZED');
    try {
      return notices.read(headers, body);
    } catch (error) {
      if (!(error instanceof PaymentNoticeError)) throw error;
      if (error.problem === 'unauthorized') throw new HatifError('WEBHOOK_UNAUTHORIZED', {}, { cause: error });
      throw new HatifError('WEBHOOK_PAYLOAD_INVALID', { reason: error.message }, { cause: error });
    }
  }

  async #due(organizationId: string, of: NewPayment['of']): Promise<Pick<PaymentRow, 'invoice_id' | 'amount' | 'vat'>> {
    const { invoices, vatPercent } = this.options;
    if ('amount' in of) return { invoice_id: null, amount: of.amount, vat: vatInHalalas(of.amount, vatPercent) };
    const invoice = await invoices.get(organizationId, of.invoiceId);
    if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id: of.invoiceId });
    if (invoice.status === 'paid') throw invalidField('invoice_id', PAID);
    return { invoice_id: invoice.id, amount: invoice.due_net, vat: invoice.due_vat };
  }

  /** Null where nobody answers, or not to the question. */
  async #answerOf<T>({ id }: PaymentRow, ask: () => Promise<T>): Promise<T | null> {
    const { observer, log } = this.options;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PaymentProviderError)) throw error;
      observer.unanswered();
      log.warn({ err: error, payment: id }, 'the payment gateway did not do as it was asked; it is asked again');
      return null;
    }
  }

  async #row(organizationId: string, id: string): Promise<PaymentRow> {
    const row = await this.options.payments.get(organizationId, id);
    if (!row) throw new HatifError('PAYMENT_NOT_FOUND', { id });
    return row;
  }

  #provider(method: PaymentMethod): PaymentProvider | null {
    return this.options.providers.find((provider) => provider.method === method) ?? null;
  }

  #present(row: PaymentRow): PaymentObject {
    return presentPayment(row, this.#provider(row.method)?.account ?? null);
  }
}
