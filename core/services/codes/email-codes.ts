import { CodeSendError, type CodeChannel, type CodeMessage } from '../../ports/code-channel.js';
import { MailError, type Mailer } from '../../ports/mail.js';
import { spokenDuration } from '../../model/spoken/index.js';
import { arabic } from '../../model/wording/wording.js';

/** Sends codes by e-mail. */
export class EmailCodes implements CodeChannel {
  constructor(private readonly mailer: Mailer) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ to, language, ...message }: CodeMessage): Promise<void> {
    const { subject, text } = TEXTS[language](message);
    try {
      await this.mailer.send({ to, subject, text, language });
    } catch (error) {
      if (error instanceof MailError)
        throw new CodeSendError('the mail server did not accept the code', { cause: error });
      throw error;
    }
  }
}

type Values = Pick<CodeMessage, 'code' | 'brand' | 'lifetimeSeconds'>;
type Template = (values: Values) => { readonly subject: string; readonly text: string };

/** The subject does not contain the code, because locked screens show subjects. */
const TEXTS: Readonly<Record<CodeMessage['language'], Template>> = {
  en: ({ code, brand, lifetimeSeconds }) => ({
    subject: brand === null ? 'Your verification code' : `Your verification code for ${brand}`,
    text:
      `Your verification code${brand === null ? '' : ` for ${brand}`} is:\n\n${code}\n\n` +
      `It is valid for ${spokenDuration(lifetimeSeconds, 'en')}. Do not share it with anyone. If you did not request it, ignore this message.\n`,
  }),
  ar: ({ code, brand, lifetimeSeconds }) => ({
    subject: subjectAr(brand),
    text:
      `${subjectAr(brand)} هو:\n\n${code}\n\n` +
      `مدة صلاحيته ${spokenDuration(lifetimeSeconds, 'ar')}. لا تشارك هذا الرمز مع أحد. إذا لم تطلبه فتجاهل هذه الرسالة.\n`,
  }),
};

function subjectAr(brand: string | null): string {
  return brand === null ? 'رمز التحقق الخاص بك' : arabic`رمز التحقق الخاص بك في ${brand}`;
}
