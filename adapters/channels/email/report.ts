import PostalMime from 'postal-mime';
import { NoticeError } from '../../../core/ports/notice.js';

/** A report about a mail (RFC 6522). */
export interface MailReport {
  /** The fields of the part that machines read: of RFC 3464 or RFC 5965. */
  readonly kind: 'delivery-status' | 'feedback-report';
  readonly fields: string;
  /** `Message-ID` of the mail that it is about. */
  readonly providerId: string;
}

/**
 * Reads a report about a mail.
 * @param mail the whole report, as a mail server delivers it
 * @throws NoticeError for anything that is no such report, or does not name a message
 */
export async function readReport(mail: Buffer): Promise<MailReport> {
  const parsed = await PostalMime.parse(mail, { attachmentEncoding: 'utf8' }).catch(() => null);
  const parts = (parsed?.attachments ?? []).map(({ mimeType, content }) => ({ mimeType, text: textOf(content) }));
  const partOf = (...types: string[]) => parts.find(({ mimeType }) => types.includes(mimeType))?.text;
  const [status, feedback] = [partOf('message/delivery-status'), partOf('message/feedback-report')];
  const fields = status ?? feedback;
  if (fields === undefined) {
    throw new NoticeError('unreadable', 'it has no part message/delivery-status or message/feedback-report');
  }
  const original = partOf('text/rfc822-headers', 'message/rfc822') ?? '';
  const providerId = fieldOf(original, 'message-id')?.replace(/^<|>$/g, '');
  if (providerId === undefined) throw new NoticeError('unreadable', 'it has no Message-ID of the original mail');
  return { kind: status === undefined ? 'feedback-report' : 'delivery-status', fields, providerId };
}

/** The value of a header field, unfolded; undefined if there is none. */
export function fieldOf(text: string, name: string): string | undefined {
  const unfolded = text.replace(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(unfolded)?.[1]?.trim();
}

function textOf(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8');
}
