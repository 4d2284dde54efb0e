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
import { NoticeError } from '../../ports/notice.js';
import {
  PaymentProviderError,
  type PaymentNotice,
  type PaymentNotices,
  type PaymentProvider,
} from '../../ports/payment.js';
import type { PaymentPosting, PaymentObserver } from './posting.js';
import { openPayment } from './open-payment.js';
import { presentPayment } from './present.js';

export interface PaymentServiceOptions {
  readonly payments: Payments;
  readonly posting: PaymentPosting;
  readonly invoices: Pick<Invoices, 'get'>;
  /** The configured payment methods, one provider each. */
  readonly providers: readonly PaymentProvider[];
  /** Null if no gateway sends notices. */
  readonly notices: PaymentNotices | null;
  readonly vatPercent: number;
  readonly observer: Pick<PaymentObserver, 'unanswered'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface NewPayment {
  /** The amount to credit to the pool, or the invoice whose remaining amount is to be paid. */
  readonly of: { readonly amount: MicroSar } | { readonly invoiceId: string };
  readonly method: PaymentMethod;
  readonly returnUrl: string | null;
}

/** The key and request that start a payment. */
export interface Payer {
  readonly organizationId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** When the poller takes over, in case this process dies. */
const FIRST_CHECK_MS = 15_000;

const PAID = { en: 'is already paid', ar: 'مدفوعة بالفعل' };
const BEING_PAID = { en: 'has a pending payment', ar: 'لها عملية دفع قيد الانتظار' };

/** Starts and cancels customers' payments, and handles the notices of gateways. */
export class PaymentService {
  constructor(private readonly options: PaymentServiceOptions) {}

  /**
   * Starts a payment. If the gateway does not answer, the poller opens the payment as soon as it does.
   * @throws HatifError VALIDATION_ERROR if the method is not configured, or the invoice is paid or being paid;
   * INVOICE_NOT_FOUND, PAYMENT_FAILED, PAYMENT_AMOUNT_MISMATCH
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
      refunded: 0,
    };
    if (!(await payments.insert(row))) throw invalidField('invoice_id', BEING_PAID);
    const state = await this.#tryProvider(row, () => openPayment(provider, row));
    const opened = state ? await posting.apply(row.id, state) : row;
    if (opened.status !== 'failed') return this.#present(opened);
    throw new HatifError('PAYMENT_FAILED', { reason: opened.reason ?? method });
  }

  /** The payment that a request created before its process died. */
  async findByRequest(requestId: string, keyId: string): Promise<PaymentObject | null> {
    const row = await this.options.payments.findByRequest(requestId, keyId);
    return row && this.#present(row);
  }

  async list(
    projectId: string,
    status: PaymentStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<PaymentObject[]> {
    const rows = await this.options.payments.page(projectId, status, beforeId, limit);
    return rows.map((row) => this.#present(row));
  }

  /** @throws HatifError PAYMENT_NOT_FOUND */
  async get(projectId: string, id: string): Promise<PaymentObject> {
    return this.#present(await this.#row(projectId, id));
  }

  /**
   * Cancels a payment. A payment that has ended is not changed; if the gateway reports that it was paid, it succeeds.
   * @throws HatifError PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH
   */
  async cancel(projectId: string, id: string): Promise<PaymentObject> {
    const row = await this.#row(projectId, id);
    if (row.status !== 'pending') return this.#present(row);
    const provider = this.#provider(row.method);
    const cancelled = { status: 'cancelled', reason: null } as const;
    const state = provider ? await this.#tryProvider(row, () => provider.close(id)) : cancelled;
    return this.#present(
      await this.options.posting.apply(id, state ?? cancelled, { isOpenAtProvider: state === null }),
    );
  }

  /**
   * Handles a gateway's notice of a payment's state.
   * @throws HatifError WEBHOOK_UNAUTHORIZED, WEBHOOK_PAYLOAD_INVALID, PAYMENT_NOT_FOUND, PAYMENT_AMOUNT_MISMATCH
   */
  async handleNotice(headers: Readonly<Record<string, string>>, body: Buffer): Promise<void> {
    const notice = this.#read(headers, body);
    if (notice) await this.options.posting.apply(notice.paymentId, notice.state, { method: 'gateway' });
  }

  #read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null {
    const { notices } = this.options;
    if (!notices) throw new HatifError('WEBHOOK_UNAUTHORIZED');
    try {
      return notices.read(headers, body);
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
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
    return { invoice_id: invoice.id, amount: invoice.outstanding_net, vat: invoice.outstanding_vat };
  }

  /** Null if the provider fails or does not answer; the poller retries. */
  async #tryProvider<T>({ id }: PaymentRow, request: () => Promise<T>): Promise<T | null> {
    const { observer, log } = this.options;
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof PaymentProviderError)) throw error;
      observer.unanswered();
      log.warn({ err: error, payment: id }, 'a payment gateway request failed; will retry');
      return null;
    }
  }

  async #row(projectId: string, id: string): Promise<PaymentRow> {
    const row = await this.options.payments.get(projectId, id);
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
