import { CodeSendError, type CodeChannel, type CodeMessage } from '../../ports/code-channel.js';
import { MailError, type Mailer } from '../../ports/mail.js';
import { composeMail } from '../../model/mails/compose.js';
import type { Letter } from '../../model/mails/letter.js';
import { spokenDuration } from '../../model/spoken/index.js';
import { arabic } from '../../model/wording/wording.js';

const REFUSED = { en: 'the mail server did not accept the message', ar: 'لم يقبل خادم البريد الرسالة' };

/** Sends codes by e-mail. */
export class EmailCodes implements CodeChannel {
  constructor(private readonly mailer: Mailer) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ to, language, ...message }: CodeMessage): Promise<null> {
    const mail = composeMail({ language, ...LETTERS[language](message) });
    try {
      await this.mailer.send({ to, ...mail });
      return null;
    } catch (error) {
      if (error instanceof MailError) throw new CodeSendError(REFUSED, { cause: error });
      throw error;
    }
  }
}

type Values = Pick<CodeMessage, 'code' | 'brand' | 'lifetimeSeconds'>;
type Template = (values: Values) => Omit<Letter, 'language'>;

/** The subject does not contain the code, because locked screens show subjects. */
const LETTERS: Readonly<Record<CodeMessage['language'], Template>> = {
  en: ({ code, brand, lifetimeSeconds }) => ({
    subject: brand === null ? 'Your verification code' : `Your verification code for ${brand}`,
    blocks: [
      { kind: 'text', text: `Your verification code${brand === null ? '' : ` for ${brand}`} is:` },
      { kind: 'code', code },
      {
        kind: 'text',
        text: `It is valid for ${spokenDuration(lifetimeSeconds, 'en')}. Do not share it with anyone. If you did not request it, ignore this message.`,
      },
    ],
  }),
  ar: ({ code, brand, lifetimeSeconds }) => ({
    subject: subjectAr(brand),
    blocks: [
      { kind: 'text', text: `${subjectAr(brand)} هو:` },
      { kind: 'code', code },
      {
        kind: 'text',
        text: `مدة صلاحيته ${spokenDuration(lifetimeSeconds, 'ar')}. لا تشارك هذا الرمز مع أحد. إذا لم تطلبه فتجاهل هذه الرسالة.`,
      },
    ],
  }),
};

function subjectAr(brand: string | null): string {
  return brand === null ? 'رمز التحقق الخاص بك' : arabic`رمز التحقق الخاص بك في ${brand}`;
}
