import type { PaymentRow } from '../../data/rows.js';
import { sarNumber } from '../../model/money.js';
import type { PaymentMethod, PaymentStatus } from '../../model/payment.js';
import { isoTime } from '../../model/time.js';
import type { BankAccount } from '../../ports/payment.js';

/** A payment as the API and webhooks show it to its owner. */
export interface PaymentObject {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly method: PaymentMethod;
  readonly amount_sar: number;
  readonly vat_sar: number;
  readonly total_sar: number;
  readonly paid_sar: number | null;
  readonly currency: 'SAR';
  readonly invoice_id: string | null;
  readonly reference: string;
  readonly error_code: PaymentRow['error_code'];
  readonly reason: string | null;
  readonly checkout_url: string | null;
  readonly return_url: string | null;
  /** The account to transfer the money to while the payment is pending. */
  readonly transfer_to: { readonly iban: string; readonly account_name: string } | null;
  readonly expires_at: string;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** @param account the bank account of the payment method, if it has one */
export function presentPayment(row: PaymentRow, account: BankAccount | null): PaymentObject {
  const isPending = row.status === 'pending';
  return {
    id: row.id,
    status: row.status,
    method: row.method,
    amount_sar: sarNumber(row.amount),
    vat_sar: sarNumber(row.vat),
    total_sar: sarNumber(row.amount + row.vat),
    paid_sar: row.paid === null ? null : sarNumber(row.paid),
    currency: 'SAR',
    invoice_id: row.invoice_id,
    reference: row.reference,
    error_code: row.error_code,
    reason: row.reason,
    // A payment that has ended must not be paid.
    checkout_url: isPending ? row.checkout_url : null,
    return_url: row.return_url,
    transfer_to: isPending && account ? { iban: account.iban, account_name: account.accountName } : null,
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    ended_at: isoTime(row.ended_at),
  };
}
