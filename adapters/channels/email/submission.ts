import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** A whole mail with its envelope. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly raw: Buffer;
}

/** What a mail server said about a mail. */
export type MailOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly command: string; readonly code: number; readonly response: string }
  | { readonly kind: 'not_submitted' }
  | { readonly kind: 'unknown' };

const TIMEOUT_MS = 20_000;

/**
 * Submits one mail over a connection of its own (RFC 5321). Nothing is repeated: the content is read only after the
 * server has asked for it, so it is known whether a lost connection may have left a mail behind. Never rejects.
 * @param url `smtp://user:password@host:port` (with STARTTLS if the server offers it) or `smtps://…`
 */
export function submitMail(url: string, { from, to, raw }: Mail): Promise<MailOutcome> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const connection = new SMTPConnection({
    ...{ host: hostname, port: port === '' ? (secure ? 465 : 25) : Number(port), secure },
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  });
  let isAskedFor = false;
  const content = new Readable({
    read() {
      isAskedFor = true;
      this.push(raw);
      this.push(null);
    },
  });
  return new Promise((resolve) => {
    const end = (outcome: MailOutcome): void => {
      resolve(outcome);
      connection.close();
    };
    const fail = (error: unknown): void => end(outcomeOf(error, isAskedFor));
    connection.on('error', fail);
    connection.on('end', () => fail(new Error('the connection ended')));
    const send = (): void =>
      connection.send({ from, to: [to] }, content, (error) => (error ? fail(error) : end({ kind: 'accepted' })));
    connection.connect(() => {
      if (username === '') {
        send();
        return;
      }
      const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
      connection.login({ credentials }, (error) => (error ? fail(error) : send()));
    });
  });
}

function outcomeOf(error: unknown, isAskedFor: boolean): MailOutcome {
  const { responseCode, command, code, response } = error as Readonly<Record<string, unknown>>;
  // A failed login is a wrong setting: the mail waits until it is right.
  if (typeof responseCode === 'number' && responseCode >= 500 && code !== 'EAUTH') {
    return { kind: 'refused', command: textOf(command), code: responseCode, response: textOf(response) };
  }
  if (typeof responseCode === 'number' || !isAskedFor) return { kind: 'not_submitted' };
  return { kind: 'unknown' };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
