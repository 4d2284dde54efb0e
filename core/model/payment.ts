import { randomInt } from 'node:crypto';

/**
 * `bank_transfer`: the operator confirms received transfers. `gateway`: the customer pays on a
 * payment gateway's page.
 */
export const PAYMENT_METHODS = ['bank_transfer', 'gateway'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

export const PAYMENT_STATUSES = ['pending', 'succeeded', 'failed', 'expired', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['succeeded', 'failed', 'expired', 'cancelled'],
  // Money that arrives late, or after a failure was reported, still belongs to the customer.
  failed: ['succeeded'],
  expired: ['succeeded'],
  cancelled: ['succeeded'],
  succeeded: [],
};

/** Whether a payment can change from one status to the other. */
export function canPaymentMove(from: PaymentStatus, to: PaymentStatus): boolean {
  return MOVES[from].includes(to);
}

/** Without letters and digits that are easily confused. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 10;

/**
 * A reference that the customer puts on a bank transfer to identify the payment: `HT` and ten
 * letters and digits.
 */
export function newPaymentReference(): string {
  return `HT${Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')}`;
}
