import type { MicroSar } from '../model/money.js';
import type { PaymentMethod } from '../model/payment.js';

/** What is to be paid. */
export interface PaymentOrder {
  /** Ours, chosen before anybody is asked: an order that is known already is not made a second time. */
  readonly id: string;
  readonly reference: string;
  /** With tax. */
  readonly total: MicroSar;
  /** Where the customer goes afterwards. */
  readonly returnUrl: string | null;
  readonly expiresAt: Date;
}

/** How a payment stands where it is made. Only `pending` ever becomes something else. */
export type ProviderState =
  | { readonly status: 'pending'; readonly checkoutUrl: string | null; readonly providerReference: string | null }
  /** So much has arrived. */
  | { readonly status: 'succeeded'; readonly paid: MicroSar; readonly providerReference: string | null }
  | { readonly status: 'failed' | 'expired' | 'cancelled'; readonly reason: string | null };

/** Where a customer transfers money to. */
export interface BankAccount {
  readonly iban: string;
  readonly accountName: string;
}

/**
 * - `refused`: it says no, and would again. There is no such payment there.
 * - `unavailable`: nobody knows what became of it, and asking again is right.
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
  /** For so long a customer can pay. */
  readonly lastsMs: number;
  /** Whether asking tells anything that nobody else tells us. */
  readonly canBeAsked: boolean;
  /** Null where the customer pays on a page instead. */
  readonly account: BankAccount | null;
  /** Begin. A repeat of the same order tells how it stands. */
  open(order: PaymentOrder): Promise<ProviderState>;
  ask(id: string): Promise<ProviderState>;
  /** It cannot be paid from here on; where it was paid before, that is told. One that was never begun is never to be begun. */
  close(id: string): Promise<ProviderState>;
}

/** What a gateway told us by itself. */
export interface PaymentNotice {
  readonly paymentId: string;
  readonly state: ProviderState;
}

export class PaymentNoticeError extends Error {
  override readonly name = 'PaymentNoticeError';
  /** @param problem `unauthorized`: not signed as agreed, or too old. `unreadable`: signed, and nothing that we know to read. */
  constructor(
    readonly problem: 'unauthorized' | 'unreadable',
    message: string,
  ) {
    super(message);
  }
}

/** Reads what gateways tell. */
export interface PaymentNotices {
  /** @returns null for what is of no interest. @throws PaymentNoticeError */
  read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null;
}
