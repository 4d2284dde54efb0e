import type { AccountMailData } from '../../data/repositories/mails/account-mails.js';
import type { MailBlock } from '../../model/mails/letter.js';
import { shownName } from '../../model/mails/names.js';
import { greeting, text } from './blocks.js';
import type { AccountLetters } from './letters.js';
import { shownTime } from './shown-time.js';

type SecurityKind = 'new_device' | 'session_reuse' | 'password_changed' | 'second_factor_changed' | 'email_changed';

const CHANGES: Readonly<Record<AccountMailData['second_factor_changed']['change'], Record<'ar' | 'en', string>>> = {
  totp_added: { ar: 'أُضيف تطبيق للتحقق بخطوتين.', en: 'An authenticator app was added.' },
  totp_removed: { ar: 'أُزيل تطبيق التحقق بخطوتين.', en: 'The authenticator app was removed.' },
  passkey_added: { ar: 'أُضيف مفتاح مرور.', en: 'A passkey was added.' },
  passkey_removed: { ar: 'أُزيل مفتاح مرور.', en: 'A passkey was removed.' },
  recovery_codes_renewed: { ar: 'أُنشئت رموز استرداد جديدة.', en: 'New recovery codes were created.' },
  recovery_code_used: { ar: 'استُخدم أحد رموز الاسترداد.', en: 'A recovery code was used.' },
};

const LONGEST_USER_AGENT = 200;

const NOT_YOU = {
  ar: 'إن لم تكن أنت من فعل ذلك فأعد تعيين كلمة المرور فورًا، ثم أنهِ كل الجلسات الأخرى.',
  en: 'If this was not you, reset your password at once, then end all other sessions.',
};

/** What a person is informed of because somebody else may have done it. */
export const SECURITY_LETTERS: AccountLetters<SecurityKind> = {
  new_device: ({ name, ip, user_agent, at }) => ({
    ar: {
      subject: 'تسجيل دخول من جهاز جديد',
      blocks: body('ar', name, 'سُجّل الدخول إلى حسابك من جهاز جديد.', [
        ['الجهاز', shownName(user_agent, LONGEST_USER_AGENT)],
        ['عنوان IP', ip],
        ['الوقت', shownTime(at).ar],
      ]),
    },
    en: {
      subject: 'Sign-in from a new device',
      blocks: body('en', name, 'Your account was signed in to from a new device.', [
        ['Device', shownName(user_agent, LONGEST_USER_AGENT)],
        ['IP address', ip],
        ['Time', shownTime(at).en],
      ]),
    },
  }),
  session_reuse: ({ name, ip, at }) => ({
    ar: {
      subject: 'أُنهيت جلسة في حسابك حفاظًا على الأمان',
      blocks: body('ar', name, 'استُخدم رمز تجديد لإحدى جلساتك مرتين، ولذلك أُنهيت الجلسة. قد يكون الرمز قد سُرق.', [
        ['عنوان IP', ip],
        ['الوقت', shownTime(at).ar],
      ]),
    },
    en: {
      subject: 'A session of your account was ended for safety',
      blocks: body(
        'en',
        name,
        'A refresh token of one of your sessions was used twice, so the session was ended. The token may have been stolen.',
        [
          ['IP address', ip],
          ['Time', shownTime(at).en],
        ],
      ),
    },
  }),
  password_changed: ({ name, at }) => ({
    ar: {
      subject: 'غُيّرت كلمة المرور',
      blocks: body('ar', name, 'غُيّرت كلمة مرور حسابك، وأُنهيت كل الجلسات الأخرى.', [['الوقت', shownTime(at).ar]]),
    },
    en: {
      subject: 'Your password was changed',
      blocks: body('en', name, 'The password of your account was changed, and all other sessions were ended.', [
        ['Time', shownTime(at).en],
      ]),
    },
  }),
  second_factor_changed: ({ name, change, at }) => ({
    ar: {
      subject: 'تغيير في التحقق بخطوتين',
      blocks: body('ar', name, CHANGES[change].ar, [['الوقت', shownTime(at).ar]]),
    },
    en: {
      subject: 'Change of your second factor',
      blocks: body('en', name, CHANGES[change].en, [['Time', shownTime(at).en]]),
    },
  }),
  email_changed: ({ name, masked_email }) => ({
    ar: {
      subject: 'غُيّر عنوان بريدك الإلكتروني',
      blocks: body('ar', name, 'غُيّر عنوان البريد الإلكتروني لحسابك، ولن تصل رسائل الحساب إلى هذا العنوان بعد الآن.', [
        ['العنوان الجديد', masked_email],
      ]),
    },
    en: {
      subject: 'Your e-mail address was changed',
      blocks: body(
        'en',
        name,
        'The e-mail address of your account was changed. This address gets no more messages about the account.',
        [['New address', masked_email]],
      ),
    },
  }),
};

function body(
  language: 'ar' | 'en',
  name: string,
  what: string,
  facts: readonly (readonly [string, string])[],
): MailBlock[] {
  return [greeting[language](name), text(what), { kind: 'facts', facts }, text(NOT_YOU[language])];
}
