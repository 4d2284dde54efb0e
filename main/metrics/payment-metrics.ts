import { Counter, type Registry } from 'prom-client';
import type { PaymentObserver } from '../../core/services/payments/posting.js';

/** Counts what becomes of payments in this process. */
export function paymentObserver(registry: Registry): PaymentObserver {
  const registers = [registry];
  const ended = new Counter({
    name: 'hatif_payments_ended_total',
    help: 'Payments that are over, by method and status: succeeded, failed, expired, cancelled.',
    labelNames: ['method', 'status'],
    registers,
  });
  const mismatched = new Counter({
    name: 'hatif_payment_mismatches_total',
    help: 'Payments of which another amount arrived than was due; nothing was booked.',
    labelNames: ['method'],
    registers,
  });
  const unanswered = new Counter({
    name: 'hatif_payment_gateway_failures_total',
    help: 'Questions to the payment gateway that it did not answer, or not so that it was understood.',
    registers,
  });
  return {
    ended: (method, status) => ended.inc({ method, status }),
    mismatched: (method) => mismatched.inc({ method }),
    unanswered: () => unanswered.inc(),
  };
}
