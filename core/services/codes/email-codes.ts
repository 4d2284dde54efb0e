import { CodeSendError, type CodeChannel, type CodeMessage } from '../../ports/code-channel.js';
import { MailError, type Mailer } from '../../ports/mail.js';
import { spokenDuration } from '../../model/spoken/index.js';
import { arabic } from '../../model/wording/wording.js';

/** Codes by e-mail. */
export class EmailCodes implements CodeChannel {
  constructor(private readonly mailer: Mailer) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ to, language, ...message }: CodeMessage): Promise<void> {
    const { subject, text } = WORDS[language](message);
    try {
      await this.mailer.send({ to, subject, text, language });
    } catch (error) {
      if (error instanceof MailError) throw new CodeSendError('the code was not taken for delivery', { cause: error });
      throw error;
    }
  }
}

type Said = Pick<CodeMessage, 'code' | 'brand' | 'lifetimeSeconds'>;
type Words = (said: Said) => { readonly subject: string; readonly text: string };

/** The code is not in the subject, which shows on locked screens. */
const WORDS: Readonly<Record<CodeMessage['language'], Words>> = {
  en: ({ code, brand, lifetimeSeconds }) => ({
    subject: brand === null ? 'Your verification code' : `Your verification code for ${brand}`,
    text:
      `Your verification code${brand === null ? '' : ` for ${brand}`} is:\n\n${code}\n\n` +
      `It is valid for ${spokenDuration(lifetimeSeconds, 'en')}. Tell it to nobody. If you did not ask for it, ignore this message.\n`,
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
