import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { eventually } from '../eventually.js';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  /** The raw message: headers, a blank line, the body. */
  readonly source: string;
  /** The plain text, decoded. */
  readonly text: string;
  /** The same in HTML, decoded; empty if there is none. */
  readonly html: string;
}

/** A mail server that accepts every mail; a test's options can refuse some. */
export class MailServer {
  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
    readonly mails: readonly ReceivedMail[],
  ) {}

  static async start(options: Partial<SMTPServerOptions> = {}): Promise<MailServer> {
    const mails: ReceivedMail[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, callback) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks).toString('utf8');
          const { mailFrom, rcptTo } = session.envelope;
          const to = rcptTo.map(({ address }) => address);
          mails.push({
            to,
            from: mailFrom === false ? '' : mailFrom.address,
            source,
            text: partOf(source, 'text/plain') ?? '',
            html: partOf(source, 'text/html') ?? '',
          });
          callback();
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    const listening = server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return new MailServer(server, (listening.address() as AddressInfo).port, mails);
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The newest mail to this address; waits for one if there is none. */
  async mailTo(address: string): Promise<ReceivedMail> {
    await eventually(() => this.mails.some(({ to }) => to.includes(address)), `a mail to ${address}`);
    return this.mails.filter(({ to }) => to.includes(address)).at(-1)!;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** The first part of this type, decoded, wherever it is nested; null if there is none. */
function partOf(part: string, type: string): string | null {
  const at = part.indexOf('\r\n\r\n');
  const [headers, body] = [part.slice(0, at).replace(/\r\n[ \t]+/g, ' '), part.slice(at + 4)];
  const [, boundary] = /^content-type:.*boundary="([^"]+)"/im.exec(headers) ?? [];
  if (boundary !== undefined) {
    const parts = body.split(`--${boundary}`).slice(1, -1);
    return parts.reduce<string | null>((found, inner) => found ?? partOf(inner.replace(/^\r\n/, ''), type), null);
  }
  if (!new RegExp(`^content-type: *${type}`, 'im').test(headers)) return null;
  const [, encoding = '7bit'] = /^content-transfer-encoding: *(\S+)/im.exec(headers) ?? [];
  if (encoding.toLowerCase() === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding.toLowerCase() !== 'quoted-printable') return body;
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`);
  return decodeURIComponent(bytes.replace(/%(?![0-9A-F]{2})/g, '%25'));
}
