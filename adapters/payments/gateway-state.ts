import { z } from 'zod';
import { isKeepable } from '../../core/model/keepable-text.js';
import { MICROS_PER_HALALA } from '../../core/model/money.js';
import { PAYMENT_STATUSES } from '../../core/model/payment.js';
import type { ProviderState } from '../../core/ports/payment.js';

const text = z.string().min(1).max(500).refine(isKeepable);

/** A payment in the format of docs/reference/payments.md, in responses and notices. Other members are ignored. */
export const gatewayPayment = z.object({
  id: z.uuid(),
  status: z.enum(PAYMENT_STATUSES),
  /** The paid amount of a succeeded payment, otherwise the requested amount. */
  amount_halalas: z.int().min(1).max(1_000_000_000_000),
  currency: z.literal('SAR'),
  checkout_url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullish(),
  gateway_id: text.nullish(),
  reason: text.nullish(),
});

export function stateOf(payment: z.output<typeof gatewayPayment>): ProviderState {
  const { status, amount_halalas, checkout_url = null, gateway_id: providerReference = null, reason = null } = payment;
  if (status === 'pending') return { status, checkoutUrl: checkout_url, providerReference };
  if (status === 'succeeded') return { status, paid: amount_halalas * MICROS_PER_HALALA, providerReference };
  return { status, reason };
}
