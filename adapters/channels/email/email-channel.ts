import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import { Webhook } from 'standardwebhooks';
import { emailHtml, emailText } from '../../../core/model/messaging/email.js';
import type {
  ChannelListener,
  MessageChannel,
  OutgoingMessage,
  RawNotice,
  SubmitOutcome,
} from '../../../core/ports/messaging/message-channel.js';
import type { MessageFiles } from '../../../core/ports/messaging/message-files.js';
import { NoticeError } from '../../../core/ports/notice.js';
import { reasonOfStatus, receiptOf } from './bounce.js';
import { complaintOf } from './complaint.js';
import { readReport } from './report.js';
import { submitMail } from './submission.js';

/** A key that signs mail (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly key: string;
}

export interface EmailChannelOptions {
  /** Null if no mail server is set. */
  readonly server: { readonly url: string; readonly from: string } | null;
  /** Null: mail is not signed. */
  readonly dkim: DkimKey | null;
  /** Where mail servers report what they could not deliver; null: to the sender. */
  readonly bouncesTo: string | null;
  /** Signs the notices about bounces; null: none is accepted. */
  readonly noticeSecret: string | null;
  readonly files: MessageFiles;
  readonly listener: Pick<ChannelListener, 'receipt' | 'complaint'>;
  readonly onFree: () => void;
}

interface Attachment {
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType: string;
}

const PROVIDER = 'smtp';
/** Mails that are submitted at once, each over a connection of its own. */
const MOST_AT_ONCE = 10;
/** The fields that DKIM signs, if they are there: RFC 8058 §4 wants both of unsubscribing. */
const SIGNED =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post';

/** E-mail over a mail server: text and HTML from one text, signed with DKIM. */
export class EmailChannel implements MessageChannel {
  readonly channel = 'email';
  #submitting = 0;

  constructor(private readonly options: EmailChannelOptions) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(this.options.server !== null);
  }

  segments(): number {
    return 1;
  }

  parts(): number {
    return 1;
  }

  free(): number {
    return this.options.server === null ? 0 : MOST_AT_ONCE - this.#submitting;
  }

  window(): number {
    return this.options.server === null ? 0 : MOST_AT_ONCE;
  }

  async submit(message: OutgoingMessage): Promise<SubmitOutcome> {
    const { server, bouncesTo, onFree } = this.options;
    if (server === null) return { kind: 'not_submitted' };
    this.#submitting++;
    try {
      const from = message.from ?? server.from;
      const address = addressIn(from);
      const providerId = `${message.id}@${address.slice(address.indexOf('@') + 1)}`;
      const attachments = await this.#attachmentsOf(message).catch(() => undefined);
      if (attachments === undefined) return { kind: 'not_submitted' };
      // A file was deleted since the message was accepted.
      if (attachments === null) return { kind: 'refused', reason: 'content_refused', providerCode: null };
      const raw = await this.#compose(message, from, providerId, attachments);
      const outcome = await submitMail(server.url, { from: bouncesTo ?? address, to: message.to, raw });
      switch (outcome.kind) {
        case 'accepted':
          return { kind: 'accepted', provider: PROVIDER, providerId };
        case 'refused':
          return { kind: 'refused', ...refusalOf(outcome) };
        case 'unknown':
          return { kind: 'unknown', provider: PROVIDER, providerId };
        case 'not_submitted':
          return outcome;
      }
    } finally {
      this.#submitting--;
      onFree();
    }
  }

  /** Takes a bounce or a complaint that the operator's mail server passes on. */
  async takeNotice({ headers, body }: RawNotice): Promise<void> {
    const { noticeSecret, listener } = this.options;
    if (noticeSecret === null) throw new NoticeError('unauthorized', 'no secret is set');
    try {
      new Webhook(noticeSecret).verify(body.toString('utf8'), { ...headers }, { jsonParse: false });
    } catch {
      throw new NoticeError('unauthorized', 'the signature is wrong or too old');
    }
    const report = await readReport(body);
    if (report.kind === 'delivery-status') {
      const receipt = receiptOf(report, PROVIDER);
      if (receipt) await listener.receipt(receipt);
    } else {
      const complaint = complaintOf(report, PROVIDER);
      if (complaint) await listener.complaint(complaint);
    }
  }

  /** Null if one is not there any more. @throws StorageError, DatabaseUnavailable */
  async #attachmentsOf({ projectId, content }: OutgoingMessage): Promise<readonly Attachment[] | null> {
    const attachments: Attachment[] = [];
    for (const { media_id, file_name } of content?.attachments ?? []) {
      const file = media_id === null ? null : await this.options.files.read({ projectId, sandbox: false }, media_id);
      if (!file) return null;
      attachments.push({ filename: file_name ?? file.name, content: file.bytes, contentType: file.mediaType });
    }
    return attachments;
  }

  async #compose(
    { to, subject, text, unsubscribeUrl }: OutgoingMessage,
    from: string,
    messageId: string,
    attachments: readonly Attachment[],
  ): Promise<Buffer> {
    const { dkim } = this.options;
    const mail = new MailComposer({
      from,
      // An object, so that a comma in the address does not add a recipient.
      to: { name: '', address: to },
      subject: subject ?? '',
      messageId: `<${messageId}>`,
      text: emailText(text, unsubscribeUrl),
      html: emailHtml(subject ?? '', text, unsubscribeUrl),
      attachments: [...attachments],
      ...(unsubscribeUrl !== null && { headers: unsubscribing(unsubscribeUrl) }),
      // Content never comes from files or URLs.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const raw = await mail.compile().build();
    if (dkim === null) return raw;
    const signer = new DKIM({
      domainName: dkim.domain,
      keySelector: dkim.selector,
      privateKey: dkim.key,
      headerFieldNames: SIGNED,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of signer.sign(raw)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}

/** RFC 2369 §3.2 and RFC 8058 §3.1. */
function unsubscribing(url: string) {
  return [
    // Prepared: a long address must not be folded.
    { key: 'List-Unsubscribe', value: { prepared: true, value: `<${url}>` } },
    { key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
  ];
}

/** The address of `Name <address>`. */
function addressIn(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}

function refusalOf({
  command,
  code,
  response,
}: {
  readonly command: string;
  readonly code: number;
  readonly response: string;
}) {
  const status = /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const providerCode = status ?? String(code);
  if (status !== undefined) return { reason: reasonOfStatus(status), providerCode } as const;
  if (command === 'MAIL FROM') return { reason: 'sender_refused', providerCode } as const;
  return { reason: command === 'RCPT TO' ? 'invalid_recipient' : 'content_refused', providerCode } as const;
}
