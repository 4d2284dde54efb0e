import { readSettings } from '../../../../config/read-settings.js';
import { Ledger } from '../../../../core/data/repositories/billing/ledger.js';
import { systemClock, type Clock } from '../../../../core/ports/clock.js';
import type { PaymentMethod, PaymentStatus } from '../../../../core/model/payment.js';
import { openPaying, type Paying } from '../../../../main/wiring/payments.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import { quiet } from '../../logger.js';
import { PaymentPeer } from '../../peers/payment-peer.js';

export const PAYMENT_SECRET = `whsec_${Buffer.from('a secret for tests of payments').toString('base64')}`;
/** The Saudi Central Bank's example. */
export const IBAN = 'SA0380000000608010167519';

/** Payment services on a database, with a gateway and a clock that tests can advance. */
export interface PaymentStage extends Paying {
  readonly stores: Stores;
  readonly peer: PaymentPeer;
  /** Calls of the observer: `ended gateway succeeded`, `mismatched …`, `unanswered`. */
  readonly counted: readonly string[];
  /** Lanes that were woken. */
  readonly woken: readonly string[];
  /** The services as in another process. */
  other(): Paying;
  pass(ms: number): void;
  /** The balances of the organization's accounts. */
  balances(organizationId: string): Promise<{ pool: number; vat: number; payments: number }>;
  end(): Promise<void>;
}

export async function paymentStage(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<PaymentStage> {
  let passedMs = 0;
  const counted: string[] = [];
  const woken: string[] = [];
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + passedMs) };
  const stores = openStores(databaseUrl, 10);
  const peer = await PaymentPeer.start(PAYMENT_SECRET);
  const settings = readSettings({
    PAYMENT_IBAN: IBAN,
    PAYMENT_ACCOUNT_NAME: 'Operator LLC',
    PAYMENT_GATEWAY_URL: peer.url,
    PAYMENT_GATEWAY_SECRET: PAYMENT_SECRET,
    PAYMENT_GATEWAY_TIMEOUT_SECONDS: '1',
    ...environment,
  });
  const observer = {
    ended: (method: PaymentMethod, status: PaymentStatus) => void counted.push(`ended ${method} ${status}`),
    mismatched: (method: PaymentMethod) => void counted.push(`mismatched ${method}`),
    unanswered: () => void counted.push('unanswered'),
  };
  const opened: Paying[] = [];
  const open = (): Paying => {
    const wake = (lanes: readonly string[]): void => void woken.push(...lanes);
    const paying = openPaying({ stores, settings, observer, clock, log: quiet, wake });
    opened.push(paying);
    return paying;
  };
  const ledger = new Ledger(stores.db);
  return {
    ...open(),
    stores,
    peer,
    counted,
    woken,
    other: open,
    pass: (ms) => void (passedMs += ms),
    async balances(organizationId) {
      const of = (type: 'pool' | 'vat' | 'payments') => ledger.balance(organizationId, { type, projectId: null });
      return { pool: await of('pool'), vat: await of('vat'), payments: await of('payments') };
    },
    async end() {
      await Promise.all(opened.map((paying) => paying.close()));
      await peer.close();
      await stores.db.close();
    },
  };
}
