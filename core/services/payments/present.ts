import type { PaymentObject } from '../../model/objects/payment.js';
import type { PaymentRow } from '../../data/rows.js';
import { sarNumber } from '../../model/money.js';
import { isoTime } from '../../model/time.js';
import type { BankAccount } from '../../ports/payment.js';

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
    refunded_sar: sarNumber(row.refunded),
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
