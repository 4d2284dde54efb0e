import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PaymentProviderError, type PaymentProvider, type ProviderState } from '../../ports/payment.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { PaymentPosting, PaymentObserver } from './posting.js';
import { openPayment } from './open-payment.js';

export interface PaymentPollerOptions {
  readonly payments: Payments;
  readonly posting: PaymentPosting;
  readonly providers: readonly PaymentProvider[];
  readonly observer: Pick<PaymentObserver, 'unanswered'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 5_000;
/** Payments polled concurrently. */
const BATCH_SIZE = 10;
/** How long after a payment's expiry a gateway that does not answer is still polled. */
const GIVE_UP_MS = 7 * 86_400_000;

const EXPIRED: ProviderState = { status: 'expired', reason: null };

/**
 * Polls gateways for payments that have sent no notice, at growing intervals; closes payments that were cancelled while
 * the gateway did not answer; and expires payments that were not paid in time.
 */
export class PaymentPoller implements PeriodicTask {
  readonly name = 'payment polling';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: PaymentPollerOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { payments, clock } = this.options;
    while (!isStopping()) {
      const rows = await payments.take(clock.now(), BATCH_SIZE);
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => this.#poll(row)));
    }
  }

  async #poll(row: PaymentRow): Promise<void> {
    const { posting, observer, clock, log } = this.options;
    const afterMs = clock.now().getTime() - row.expires_at.getTime();
    try {
      await posting.apply(row.id, await this.#stateOf(row, afterMs));
    } catch (error) {
      if (error instanceof PaymentProviderError) {
        observer.unanswered();
        log.warn({ err: error, payment: row.id }, 'failed to poll the payment gateway; will retry');
        if (afterMs > GIVE_UP_MS) await posting.apply(row.id, EXPIRED);
      } else if (error instanceof HatifError && error.code === 'PAYMENT_AMOUNT_MISMATCH') {
        log.error({ err: error, payment: row.id }, 'a payment has a different amount than was due; it is not posted');
      } else {
        throw error;
      }
    }
  }

  async #stateOf(row: PaymentRow, afterMs: number): Promise<ProviderState> {
    const provider = this.options.providers.find(({ method }) => method === row.method);
    const isExpired = afterMs >= 0;
    // The operator has removed this payment method.
    if (!provider) return isExpired ? EXPIRED : { status: 'pending', checkoutUrl: null, providerReference: null };
    if (!isExpired && row.status === 'pending') {
      return row.checkout_url === null ? openPayment(provider, row) : provider.getState(row.id);
    }
    const closed = await provider.close(row.id);
    const isOver = closed.status === 'cancelled' || (closed.status === 'pending' && afterMs > GIVE_UP_MS);
    return isOver ? EXPIRED : closed;
  }
}
