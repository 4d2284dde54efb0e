import type { BankAccount, PaymentProvider, ProviderState } from '../../core/ports/payment.js';

const DAY_MS = 86_400_000;
/** Allows for slow banks and weekends. */
const VALID_DAYS = 14;

/** Bank transfers to the operator's account. There is nothing to poll: the operator records what has arrived. */
export class BankTransfer implements PaymentProvider {
  readonly method = 'bank_transfer';
  readonly lifetimeMs = VALID_DAYS * DAY_MS;
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
