import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { PaymentNoticeError, type PaymentNotice, type PaymentNotices } from '../../core/ports/payment.js';
import { gatewayPayment, stateOf } from './gateway-state.js';

const envelope = z.object({ type: z.string() });
const update = z.object({ data: gatewayPayment });

/**
 * Verifies and parses the gateway's notices, signed according to Standard Webhooks (HMAC-SHA256 over
 * `id.timestamp.body`, at most five minutes old): `{"type": "payment.updated", "data": {the payment}}`.
 */
export class GatewayNotices implements PaymentNotices {
  readonly #webhook: Webhook;

  /** @param secret `whsec_` and base64 */
  constructor(secret: string) {
    this.#webhook = new Webhook(secret);
  }

  read(headers: Readonly<Record<string, string>>, body: Buffer): PaymentNotice | null {
    const text = body.toString('utf8');
    try {
      this.#webhook.verify(text, headers, { jsonParse: false });
    } catch {
      // Any error means that the signature is not valid.
      throw new PaymentNoticeError('unauthorized', 'the signature is wrong or too old');
    }
    const json = parse(text);
    const { data: known } = envelope.safeParse(json);
    if (known === undefined) throw new PaymentNoticeError('unreadable', 'it is not a JSON object with a type');
    if (known.type !== 'payment.updated') return null;
    const read = update.safeParse(json);
    if (read.success) return { paymentId: read.data.data.id.toLowerCase(), state: stateOf(read.data.data) };
    const [issue] = read.error.issues;
    throw new PaymentNoticeError('unreadable', `${issue?.path.join('.') ?? 'data'} is not in the agreed format`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
