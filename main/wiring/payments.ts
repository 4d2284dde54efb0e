import { BankTransfer } from '../../adapters/payments/bank-transfer.js';
import { GatewayNotices } from '../../adapters/payments/gateway-notices.js';
import { HttpPaymentGateway } from '../../adapters/payments/http-gateway.js';
import type { Settings } from '../../config/settings.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { PaymentPosting, type PaymentObserver } from '../../core/services/payments/posting.js';
import { PaymentAdministration } from '../../core/services/payments/administration.js';
import { PaymentService } from '../../core/services/payments/manage.js';
import { PaymentRefunds } from '../../core/services/payments/refunds.js';
import { PaymentPoller } from '../../core/services/payments/poller.js';
import type { Stores } from './stores.js';

/** Services for payments of customers. */
export interface Paying {
  readonly payments: PaymentService;
  readonly administration: PaymentAdministration;
  readonly poller: PaymentPoller;
  /** Closes connections to the gateway. */
  close(): Promise<void>;
}

export interface PayingOptions {
  readonly stores: Pick<Stores, 'db' | 'payments' | 'ledger' | 'invoices'>;
  readonly settings: Settings;
  /** Without it nothing is counted. */
  readonly observer?: PaymentObserver;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with lanes that have webhooks to deliver. */
  readonly wake: (lanes: readonly string[]) => void;
}

const UNOBSERVED: PaymentObserver = {
  ended: () => undefined,
  mismatched: () => undefined,
  unanswered: () => undefined,
};

export function openPaying({ stores, settings, observer = UNOBSERVED, clock, log, wake }: PayingOptions): Paying {
  const { db, payments, ledger, invoices } = stores;
  const { PAYMENT_IBAN: iban, PAYMENT_ACCOUNT_NAME: accountName } = settings;
  const { PAYMENT_GATEWAY_URL: url, PAYMENT_GATEWAY_SECRET: secret } = settings;
  const timeoutMs = settings.PAYMENT_GATEWAY_TIMEOUT_SECONDS * 1000;
  const gateway = url !== undefined && secret !== undefined ? new HttpPaymentGateway({ url, secret, timeoutMs }) : null;
  const providers = [
    ...(iban !== undefined && accountName !== undefined ? [new BankTransfer({ iban, accountName })] : []),
    ...(gateway ? [gateway] : []),
  ];
  const posting = new PaymentPosting({ db, payments, ledger, invoices, observer, clock, wake });
  return {
    payments: new PaymentService({
      ...{ payments, posting, invoices, providers, observer, clock, log },
      notices: secret === undefined ? null : new GatewayNotices(secret),
      vatPercent: settings.BILLING_VAT_PERCENT,
    }),
    administration: new PaymentAdministration(payments, posting, new PaymentRefunds({ db, payments, ledger, clock })),
    poller: new PaymentPoller({ payments, posting, providers, observer, clock, log }),
    close: async () => gateway?.disconnect(),
  };
}
