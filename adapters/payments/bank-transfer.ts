import type { BankAccount, PaymentProvider, ProviderState } from '../../core/ports/payment.js';

const DAY_MS = 86_400_000;
/** Banks and weekends take their time. */
const LASTS_DAYS = 14;

/** Money that is transferred to the operator's account. Nobody can be asked: the operator says what has arrived. */
export class BankTransfer implements PaymentProvider {
  readonly method = 'bank_transfer';
  readonly lifetimeMs = LASTS_DAYS * DAY_MS;
  readonly isPollable = false;

  constructor(readonly account: BankAccount) {}

  open(): Promise<ProviderState> {
    return this.getState();
  }

  getState(): Promise<ProviderState> {
    return Promise.resolve({ status: 'pending', checkoutUrl: null, providerReference: null });
  }

  close(): Promise<ProviderState> {
    return Promise.resolve({ status: 'cancelled', reason: null });
  }
}
