import type { PaymentStatus } from '../../../core/model/payment.js';
import { ask, type Answer } from '../api.js';
import { signedNotice, type NoticeChanges } from './notice.js';
import { SignedPeer } from './signed-peer.js';

interface GatewayPayment {
  readonly id: string;
  status: PaymentStatus;
  amount_halalas: number;
  reason: string | null;
  readonly reference: string;
  readonly return_url: string | null;
}

/** A payment gateway that follows docs/reference/payments.md. The test pays and sends notices. */
export class PaymentPeer extends SignedPeer {
  readonly payments = new Map<string, GatewayPayment>();
  readonly #asked: { readonly method: string; readonly id: string }[] = [];
  /** Ids of payments that must not start any more. */
  readonly #closed = new Set<string>();
  #refusal: string | null = null;

  static start(secret: string): Promise<PaymentPeer> {
    return new PaymentPeer(secret).listen();
  }

  /** The methods of a payment's requests: `PUT`, `GET`, `DELETE`, in order. */
  askedOf(id: string): string[] {
    return this.#asked.filter((one) => one.id === id).map(({ method }) => method);
  }

  /** Refuses every new payment with this reason. */
  refuseAll(reason: string): void {
    this.#refusal = reason;
  }

  /** The customer pays. @param halalas a different amount from the requested one */
  pay(id: string, halalas?: number): void {
    const payment = this.#payment(id);
    payment.status = 'succeeded';
    payment.amount_halalas = halalas ?? payment.amount_halalas;
  }

  /** The customer's bank declines the payment. */
  fail(id: string, reason: string): void {
    Object.assign(this.#payment(id), { status: 'failed', reason });
  }

  /** Sends the platform a notice about a payment. @param apiUrl of the platform */
  notify(apiUrl: string, id: string, changes: NoticeChanges = {}): Promise<Answer> {
    const [headers, body] = this.notice(id, changes);
    return ask(apiUrl, 'POST', '/v1/payments/webhook', { raw: body.toString('utf8'), headers });
  }

  /** A notice: the headers with the signature, and the body. */
  notice(id: string, changes: NoticeChanges = {}): [headers: Record<string, string>, body: Buffer] {
    const data = changes.data ?? this.#shown(this.#payment(id));
    return signedNotice({ secret: this.secret, type: 'payment.updated', data }, changes);
  }

  protected override do(method: string, { pathname }: URL, body: string): readonly [number, object] {
    const [, id = ''] = /^\/api\/payments\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
    this.#asked.push({ method, id });
    const known = this.payments.get(id);
    if (method === 'PUT') return known ? [200, this.#shown(known)] : this.#begin(id, body);
    if (method === 'DELETE') this.#closed.add(id);
    if (!known) return [404, { error: 'not_found' }];
    if (method === 'DELETE' && known.status === 'pending') known.status = 'cancelled';
    return [200, this.#shown(known)];
  }

  #begin(id: string, body: string): readonly [number, object] {
    if (this.#closed.has(id)) return [410, { error: 'closed' }];
    if (this.#refusal !== null) return [402, { error: 'refused', message: this.#refusal }];
    const request = JSON.parse(body) as { amount_halalas: number; reference: string; return_url: string | null };
    const { amount_halalas, reference, return_url } = request;
    const payment: GatewayPayment = { id, status: 'pending', amount_halalas, reason: null, reference, return_url };
    this.payments.set(id, payment);
    return [201, this.#shown(payment)];
  }

  #shown({ id, status, amount_halalas, reason }: GatewayPayment): object {
    const checkout_url = `https://pay.example/${id}`;
    return { id, status, amount_halalas, currency: 'SAR', checkout_url, gateway_id: `gw-${id}`, reason };
  }

  #payment(id: string): GatewayPayment {
    const payment = this.payments.get(id);
    if (!payment) throw new Error(`the gateway has no payment ${id}`);
    return payment;
  }
}
