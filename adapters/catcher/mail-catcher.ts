import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { CaughtMessage } from '../../core/ports/messaging/message-catcher.js';

/** A mail with what its sender needs to hear about it. */
export interface CaughtMail extends CaughtMessage {
  readonly channel: 'email';
  /** `Message-ID`, without brackets; null if it has none. */
  readonly messageId: string | null;
}

const MOST_BYTES = 50 * 1024 * 1024;

/** A mail server that delivers nothing: it takes each mail and shows it. It listens on the loopback only. */
export class MailCatcher {
  private constructor(
    private readonly smtp: SMTPServer,
    private readonly server: Server,
  ) {}

  /** @param port `0` chooses a free port @throws Error of Node.js if the port is in use */
  static async start(port: number, onMail: (mail: CaughtMail) => void): Promise<MailCatcher> {
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      size: MOST_BYTES,
      onData(stream, { envelope }, callback) {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        readMail(stream).then(
          (mail) => {
            for (const to of recipients) onMail({ ...mail, to });
            callback();
          },
          () => callback(new Error('the mail cannot be read')),
        );
      },
    });
    const server = smtp.listen(port, '127.0.0.1');
    // What a client does to its connection ends that connection only.
    await Promise.race([
      once(server, 'listening'),
      once(smtp, 'error').then(([error]) => Promise.reject(error as Error)),
    ]);
    smtp.on('error', () => undefined);
    return new MailCatcher(smtp, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.smtp.close(() => resolve()));
  }
}

async function readMail(stream: AsyncIterable<unknown>): Promise<Omit<CaughtMail, 'to'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const { from, subject, text, html, attachments, messageId } = await PostalMime.parse(Buffer.concat(chunks));
  return {
    channel: 'email',
    from: from?.address ?? '',
    subject: subject ?? '',
    text: (text ?? html ?? '').trimEnd(),
    files: attachments.map(({ filename, mimeType }) => filename ?? mimeType),
    messageId: messageId?.replace(/^<|>$/g, '') ?? null,
  };
}
