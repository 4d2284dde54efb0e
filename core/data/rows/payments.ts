import type { MicroSar } from '../../model/money.js';
import type { PaymentMethod, PaymentStatus } from '../../model/payment.js';

export interface PaymentRow {
  readonly id: string;
  readonly organization_id: string;
  /** Whose key began it. */
  readonly project_id: string;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  /** What is paid; null: the pool is topped up. */
  readonly invoice_id: string | null;
  /** What the customer writes on a bank transfer; unique. */
  readonly reference: string;
  /** What the pool gets; `amount + vat` is to be paid. */
  readonly amount: MicroSar;
  readonly vat: MicroSar;
  /** What has arrived, right or wrong; null while nothing has. */
  readonly paid: MicroSar | null;
  /** What went wrong. */
  readonly error_code: 'PAYMENT_FAILED' | 'PAYMENT_AMOUNT_MISMATCH' | null;
  /** In whose words ever. */
  readonly reason: string | null;
  readonly return_url: string | null;
  readonly checkout_url: string | null;
  /** Of the gateway, or of the bank. */
  readonly provider_reference: string | null;
  /** How often it was looked after. */
  readonly checks: number;
  /** Null: there is nothing left to do. */
  readonly next_check_at: Date | null;
  readonly expires_at: Date;
  readonly created_at: Date;
  /** Null while it is pending. */
  readonly ended_at: Date | null;
}
