import type { Payments } from '../../data/repositories/billing/payments.js';
import type { PaymentRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PaymentProviderError, type PaymentProvider, type ProviderState } from '../../ports/payment.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { PaymentPosting, PaymentObserver } from './posting.js';
import { openPayment } from './opening.js';

export interface PaymentPollerOptions {
  readonly payments: Payments;
  readonly posting: PaymentPosting;
  readonly providers: readonly PaymentProvider[];
  readonly observer: Pick<PaymentObserver, 'unanswered'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 5_000;
/** Looked after at the same time. */
const BATCH = 10;
/** For so long after its end a gateway is asked that does not answer. */
const GIVE_UP_MS = 7 * 86_400_000;

const EXPIRED: ProviderState = { status: 'expired', reason: null };

/**
 * Asks gateways how payments stand of which nothing was heard, less often each time, closes what was cancelled while they did not answer, and ends what
 * nobody paid in time.
 */
export class PaymentPoller implements PeriodicTask {
  readonly name = 'payment polling';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: PaymentPollerOptions) {}

  /** Until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { payments, clock } = this.options;
    while (!isStopping()) {
      const rows = await payments.take(clock.now(), BATCH);
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => this.#look(row)));
    }
  }

  async #look(row: PaymentRow): Promise<void> {
    const { posting, observer, clock, log } = this.options;
    const afterMs = clock.now().getTime() - row.expires_at.getTime();
    try {
      await posting.learn(row.id, await this.#stateOf(row, afterMs));
    } catch (error) {
      if (error instanceof PaymentProviderError) {
        observer.unanswered();
        log.warn({ err: error, payment: row.id }, 'the payment gateway was not understood; it is asked again');
        if (afterMs > GIVE_UP_MS) await posting.learn(row.id, EXPIRED);
      } else if (error instanceof HatifError && error.code === 'PAYMENT_AMOUNT_MISMATCH') {
        log.error({ err: error, payment: row.id }, 'a payment has another amount than was due; it is not booked');
      } else {
        throw error;
      }
    }
  }

  async #stateOf(row: PaymentRow, afterMs: number): Promise<ProviderState> {
    const provider = this.options.providers.find(({ method }) => method === row.method);
    const isLate = afterMs >= 0;
    // The operator took the way to pay away.
    if (!provider) return isLate ? EXPIRED : { status: 'pending', checkoutUrl: null, providerReference: null };
    if (!isLate && row.status === 'pending') {
      return row.checkout_url === null ? openPayment(provider, row) : provider.getState(row.id);
    }
    const closed = await provider.close(row.id);
    const isOver = closed.status === 'cancelled' || (closed.status === 'pending' && afterMs > GIVE_UP_MS);
    return isOver ? EXPIRED : closed;
  }
}
