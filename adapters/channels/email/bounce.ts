import type { FailureReason } from '../../../core/model/messaging/failure.js';
import type { DeliveryReceipt } from '../../../core/ports/messaging/message-channel.js';
import { fieldOf, type MailReport } from './report.js';

/** The reason of an enhanced status code (RFC 3463): the longest prefix that fits. */
const REASONS: readonly (readonly [RegExp, FailureReason])[] = [
  [/^\d\.1\.[78]/, 'sender_refused'],
  [/^\d\.1\./, 'invalid_recipient'],
  [/^\d\.4\.7/, 'expired'],
  [/^\d\.[24]\./, 'unreachable'],
  [/^\d\.6\./, 'content_refused'],
  [/^\d\.7\./, 'blocked'],
];

export function reasonOfStatus(status: string): FailureReason {
  return REASONS.find(([form]) => form.test(status))?.[1] ?? 'unreachable';
}

/**
 * The receipt of a delivery status notification (RFC 3464): a mail about the delivery of another one.
 * @returns null for a notification that the mail is merely late
 */
export function receiptOf({ fields, providerId }: MailReport, provider: string): DeliveryReceipt | null {
  const code = fieldOf(fields, 'status') ?? '';
  const recipient = fieldOf(fields, 'final-recipient')?.split(';').at(-1)?.trim().toLowerCase() ?? null;
  const known = { provider, providerId, recipient, sender: null };
  switch (fieldOf(fields, 'action')?.toLowerCase()) {
    case 'failed':
      return { ...known, state: 'failed', failure: { reason: reasonOfStatus(code), providerCode: code || null } };
    case 'delivered':
      return { ...known, state: 'delivered', failure: null };
    default:
      return null;
  }
}
