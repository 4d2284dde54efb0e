import { randomInt } from 'node:crypto';

/** `bank_transfer`: the operator says what has arrived. `gateway`: the customer pays on a page of a payment gateway. */
export const PAYMENT_METHODS = ['bank_transfer', 'gateway'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

export const PAYMENT_STATUSES = ['pending', 'succeeded', 'failed', 'expired', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['succeeded', 'failed', 'expired', 'cancelled'],
  // Money that comes late, or against what was said before, is the customer's all the same.
  failed: ['succeeded'],
  expired: ['succeeded'],
  cancelled: ['succeeded'],
  succeeded: [],
};

/** Whether a payment can go from one status to the other. */
export function canPaymentMove(from: PaymentStatus, to: PaymentStatus): boolean {
  return MOVES[from].includes(to);
}

/** Without letters and digits that are taken for others. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 10;

/** What a customer writes on a bank transfer, so that it is known whose it is: `HT` and ten letters and digits. */
export function newPaymentReference(): string {
  return `HT${Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')}`;
}
