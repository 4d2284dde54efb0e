import { readFile } from 'node:fs/promises';
import { deliveredNotice } from '../../adapters/catcher/delivered-notice.js';
import { MailCatcher, type CaughtMail } from '../../adapters/catcher/mail-catcher.js';
import { SmsCatcher } from '../../adapters/catcher/sms-catcher.js';
import type { CatchRequest, MessageCatcher } from '../../cli/common/context.js';
import { CliError, EXIT } from '../../cli/common/failure.js';
import type { Settings } from '../../config/settings.js';
import { hasCode } from '../../core/model/error-code.js';
import type { Bootstrap } from '../install/bootstrap.js';
import { bootstrapFile } from '../install/places.js';

const NOTICES = '/v1/messages/providers/email/notices';
const TIMEOUT_MS = 10_000;

/** Opens an SMSC and a mail server that show what they get. @throws CliError if a port is in use */
export async function catchMessages(
  settings: Settings,
  { smsPort, mailPort, onMessage, onProblem }: CatchRequest,
): Promise<MessageCatcher> {
  const sms = await listening(smsPort, () => SmsCatcher.start(smsPort, onMessage));
  try {
    const mails = await listening(mailPort, () =>
      MailCatcher.start(mailPort, ({ messageId, ...mail }) => {
        onMessage(mail);
        void report(settings, { ...mail, messageId }).then((problem) => {
          if (problem !== null) onProblem(problem);
        });
      }),
    );
    return {
      ...{ smsPort: sms.port, mailPort: mails.port },
      close: async () => {
        await Promise.all([sms.close(), mails.close()]);
      },
    };
  } catch (error) {
    await sms.close();
    throw error;
  }
}

/** Reports a mail to the platform as delivered. @returns why that failed; null if it did not */
async function report(settings: Settings, mail: CaughtMail): Promise<string | null> {
  const { MESSAGE_NOTICE_SECRET: secret } = settings;
  if (secret === undefined) return null;
  const notice = deliveredNotice(mail, secret);
  if (notice === null) return null;
  try {
    const base = settings.HATIF_BASE_URL ?? (await bootstrapOf(settings)).base_url;
    const { headers, body } = notice;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await fetch(base + NOTICES, { method: 'POST', headers, body, signal });
    return status === 204
      ? null
      : `The mail to ${mail.to} was not reported as delivered: the platform answered ${status}.`;
  } catch {
    return `The mail to ${mail.to} was not reported as delivered: the platform does not answer.`;
  }
}

async function bootstrapOf(settings: Settings): Promise<Bootstrap> {
  return JSON.parse(await readFile(bootstrapFile(settings), 'utf8')) as Bootstrap;
}

async function listening<T>(port: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE') && !hasCode(error, 'EACCES')) throw error;
    throw new CliError(
      `Port ${port} cannot be used.`,
      EXIT.unreachable,
      'Choose another one with --sms-port or --mail-port.',
    );
  }
}
