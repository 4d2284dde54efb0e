import { Counter, type Registry } from 'prom-client';
import type { PaymentObserver } from '../../core/services/payments/posting.js';

/** Counts the outcomes of payments in this process. */
export function paymentObserver(registry: Registry): PaymentObserver {
  const registers = [registry];
  const ended = new Counter({
    name: 'hatif_payments_ended_total',
    help: 'Ended payments, by method and status: succeeded, failed, expired, cancelled.',
    labelNames: ['method', 'status'],
    registers,
  });
  const mismatched = new Counter({
    name: 'hatif_payment_mismatches_total',
    help: 'Payments whose amount differed from the amount due; nothing was booked.',
    labelNames: ['method'],
    registers,
  });
  const unanswered = new Counter({
    name: 'hatif_payment_gateway_failures_total',
    help: 'Requests to the payment gateway that failed or had an invalid response.',
    registers,
  });
  return {
    ended: (method, status) => ended.inc({ method, status }),
    mismatched: (method) => mismatched.inc({ method }),
    unanswered: () => unanswered.inc(),
  };
}
