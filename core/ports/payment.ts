import type { MicroSar } from '../model/money.js';
import type { PaymentMethod } from '../model/payment.js';

/** What is to be paid. */
export interface PaymentOrder {
  /** Ours, chosen before the provider is called: a known order is not created again. */
  readonly id: string;
  readonly reference: string;
  /** Including tax. */
  readonly total: MicroSar;
  /** Where the customer's browser goes afterwards. */
  readonly returnUrl: string | null;
  readonly expiresAt: Date;
}

/** State of a payment at the provider. Only `pending` ever changes. */
export type ProviderState =
  | { readonly status: 'pending'; readonly checkoutUrl: string | null; readonly providerReference: string | null }
  /** `paid` is the amount that arrived. */
  | { readonly status: 'succeeded'; readonly paid: MicroSar; readonly providerReference: string | null }
  | { readonly status: 'failed' | 'expired' | 'cancelled'; readonly reason: string | null };

/** The account that customers transfer money to. */
export interface BankAccount {
  readonly iban: string;
  readonly accountName: string;
}

/**
 * - `refused`: the provider refuses and would refuse again. It has no such payment.
 * - `unavailable`: the outcome is unknown; retry.
 */
export type PaymentProviderProblem = 'refused' | 'unavailable';

export class PaymentProviderError extends Error {
  override readonly name = 'PaymentProviderError';
  constructor(
    readonly problem: PaymentProviderProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A way to pay. Every method rejects with PaymentProviderError only. */
export interface PaymentProvider {
  readonly method: PaymentMethod;
  /** How long a customer can pay after the order was opened. */
  readonly lifetimeMs: number;
  /** Whether polling returns anything that no notice reports. */
  readonly isPollable: boolean;
  /** Null if the customer pays on a page instead. */
  readonly account: BankAccount | null;
  /** Opens the payment. A repeat of the same order returns its current state. */
  open(order: PaymentOrder): Promise<ProviderState>;
  getState(id: string): Promise<ProviderState>;
  /**
   * Closes the payment: it cannot be paid from now on. Returns `succeeded` if it was paid before.
   * Closing an unknown id makes sure that it is never opened.
   */
  close(id: string): Promise<ProviderState>;
}

/** A notice that a gateway sent on its own. */
export interface PaymentNotice {
  readonly paymentId: string;
  readonly state: ProviderState;
}

/** Verifies and parses payment notices of gateways. */
export interface PaymentNotices {
  /** @returns null for a notice of no interest. @throws NoticeError */
  read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null;
}
