import { Webhook } from 'standardwebhooks';
import { newId } from '../../../core/model/ids.js';

/** Differences from a correct notice. */
export interface NoticeChanges {
  readonly secret?: string;
  readonly at?: Date;
  readonly data?: object;
  readonly type?: string;
  /** Replaces the JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A notice signed according to Standard Webhooks: the headers with the signature, and the body. */
export function signedNotice(
  usual: { readonly secret: string; readonly type: string; readonly data: object },
  changes: NoticeChanges,
): [headers: Record<string, string>, body: Buffer] {
  const { at = new Date(), secret, type, data } = { ...usual, ...changes };
  const signed = changes.body ?? JSON.stringify({ type, timestamp: at.toISOString(), data });
  const messageId = `msg_${newId()}`;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(messageId, at, signed),
    ...changes.headers,
  };
  return [headers, Buffer.from(signed)];
}
