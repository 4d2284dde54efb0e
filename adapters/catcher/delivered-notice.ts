import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { CaughtMail } from './mail-catcher.js';

/** A notice that a mail was delivered, as `POST /v1/messages/providers/email/notices` takes it. */
export interface SignedNotice {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param secret MESSAGE_NOTICE_SECRET @returns null for a mail without a Message-ID, which nobody can name */
export function deliveredNotice(
  { to, messageId }: Pick<CaughtMail, 'to' | 'messageId'>,
  secret: string,
): SignedNotice | null {
  if (messageId === null) return null;
  const body = notificationOf(to, messageId);
  const [id, at] = [randomUUID(), new Date()];
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
      'content-type': 'message/rfc822',
    },
    body,
  };
}

/** A delivery status notification (RFC 3464). */
function notificationOf(to: string, messageId: string): string {
  const parts = {
    'text/plain; charset=us-ascii': 'The mail was caught, and counts as delivered.',
    'message/delivery-status': `Reporting-MTA: dns; localhost\r\n\r\nFinal-Recipient: rfc822; ${to}\r\nAction: delivered\r\nStatus: 2.0.0`,
    'text/rfc822-headers': `Message-ID: <${messageId}>`,
  };
  const boundary = `=_${randomUUID()}`;
  return [
    'From: MAILER-DAEMON@localhost',
    'Subject: Successful Mail Delivery Report',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    ...Object.entries(parts).flatMap(([type, text]) => [`--${boundary}`, `Content-Type: ${type}`, '', text, '']),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}
