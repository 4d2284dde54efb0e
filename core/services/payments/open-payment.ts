import type { PaymentRow } from '../../data/rows.js';
import { PaymentProviderError, type PaymentProvider, type ProviderState } from '../../ports/payment.js';

/**
 * Opens the payment at its provider; if it is already open there, returns its state. @throws PaymentProviderError only
 * if a retry makes sense
 */
export async function openPayment(provider: PaymentProvider, row: PaymentRow): Promise<ProviderState> {
  const { id, reference, amount, vat, return_url: returnUrl, expires_at: expiresAt } = row;
  try {
    return await provider.open({ id, reference, total: amount + vat, returnUrl, expiresAt });
  } catch (error) {
    if (!(error instanceof PaymentProviderError) || error.problem !== 'refused') throw error;
    return { status: 'failed', reason: error.message };
  }
}
