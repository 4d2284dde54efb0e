import PostalMime from 'postal-mime';
import type { FailureReason } from '../../../core/model/messaging/failure.js';
import { NoticeError } from '../../../core/ports/notice.js';
import type { DeliveryReceipt } from '../../../core/ports/messaging/message-channel.js';

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
 * Reads a delivery status notification (RFC 3464): a mail about the delivery of another one.
 * @param mail the whole mail, as a mail server delivers it
 * @returns null for a notification that the mail is merely late
 * @throws NoticeError for anything that is no such notification, or does not name a message
 */
export async function readBounce(mail: Buffer, provider: string): Promise<DeliveryReceipt | null> {
  const parsed = await PostalMime.parse(mail, { attachmentEncoding: 'utf8' }).catch(() => null);
  const parts = (parsed?.attachments ?? []).map(({ mimeType, content }) => ({ mimeType, text: textOf(content) }));
  const status = parts.find(({ mimeType }) => mimeType === 'message/delivery-status')?.text;
  if (status === undefined) throw new NoticeError('unreadable', 'it has no part message/delivery-status');
  const original = parts.find(({ mimeType }) => mimeType === 'text/rfc822-headers' || mimeType === 'message/rfc822');
  const providerId = fieldOf(original?.text ?? '', 'message-id')?.replace(/^<|>$/g, '');
  if (providerId === undefined) throw new NoticeError('unreadable', 'it has no Message-ID of the original mail');
  const code = fieldOf(status, 'status') ?? '';
  const recipient = fieldOf(status, 'final-recipient')?.split(';').at(-1)?.trim().toLowerCase() ?? null;
  const known = { provider, providerId, recipient, sender: null };
  switch (fieldOf(status, 'action')?.toLowerCase()) {
    case 'failed':
      return { ...known, state: 'failed', failure: { reason: reasonOfStatus(code), providerCode: code || null } };
    case 'delivered':
      return { ...known, state: 'delivered', failure: null };
    default:
      return null;
  }
}

/** The value of a header field, unfolded; undefined if there is none. */
function fieldOf(text: string, name: string): string | undefined {
  const unfolded = text.replace(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(unfolded)?.[1]?.trim();
}

function textOf(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8');
}
