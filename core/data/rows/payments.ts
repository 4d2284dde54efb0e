import type { MicroSar } from '../../model/money.js';
import type { PaymentMethod, PaymentStatus } from '../../model/payment.js';

export interface PaymentRow {
  readonly id: string;
  readonly organization_id: string;
  /** The project whose key opened the payment. */
  readonly project_id: string;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  /** The invoice being paid; null for a top-up of the pool. */
  readonly invoice_id: string | null;
  /** The reference that the customer puts on a bank transfer; unique. */
  readonly reference: string;
  /** The amount credited to the pool; the customer pays `amount + vat`. */
  readonly amount: MicroSar;
  readonly vat: MicroSar;
  /** The amount received, even if it is wrong; null if nothing arrived. */
  readonly paid: MicroSar | null;
  /** The failure, if any. */
  readonly error_code: 'PAYMENT_FAILED' | 'PAYMENT_AMOUNT_MISMATCH' | null;
  /** Free text from the gateway, the bank or the operator. */
  readonly reason: string | null;
  readonly return_url: string | null;
  readonly checkout_url: string | null;
  /** Reference given by the gateway or the bank. */
  readonly provider_reference: string | null;
  /** Number of polls. */
  readonly checks: number;
  /** Null if no poll is needed. */
  readonly next_check_at: Date | null;
  readonly expires_at: Date;
  readonly created_at: Date;
  /** Null while pending. */
  readonly ended_at: Date | null;
  /** The part of `paid` that was refunded. */
  readonly refunded: MicroSar;
}

/** A refund of a payment. Immutable. */
export interface PaymentRefundRow {
  readonly id: string;
  readonly payment_id: string;
  readonly organization_id: string;
  /** Chosen by the operator; unique for the payment. */
  readonly reference: string;
  readonly reason: string;
  /** Taken from the pool. */
  readonly amount: MicroSar;
  readonly vat: MicroSar;
  readonly total: MicroSar;
  readonly created_at: Date;
}
