import type { PaymentNotice, PaymentNotices } from '../../core/ports/payment.js';
import { SignedNotices } from '../http/signed-notices.js';
import { gatewayPayment, stateOf } from './gateway-state.js';

/** Reads the gateway's signed notices: `{"type": "payment.updated", "data": {the payment}}`. */
export class GatewayNotices implements PaymentNotices {
  readonly #notices;

  /** @param secret `whsec_` and base64 */
  constructor(secret: string) {
    this.#notices = new SignedNotices(secret, 'payment.updated', gatewayPayment);
  }

  read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null {
    const payment = this.#notices.read(headers, body);
    return payment && { paymentId: payment.id.toLowerCase(), state: stateOf(payment) };
  }
}
