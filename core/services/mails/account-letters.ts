import type { Role } from '../../model/access/roles.js';
import type { MailBlock } from '../../model/mails/letter.js';
import { shownName } from '../../model/mails/names.js';
import { arabic } from '../../model/wording/wording.js';
import { greeting, note, text } from './blocks.js';
import type { AccountLetters } from './letters.js';
import { SECURITY_LETTERS } from './security-letters.js';

const ROLES: Readonly<Record<Role, string>> = {
  owner: 'مالك',
  admin: 'مسؤول',
  developer: 'مطوّر',
  supervisor: 'مشرف',
  agent: 'موظف',
  finance: 'مسؤول مالي',
  viewer: 'مطّلع',
};

const IGNORE = {
  ar: 'إن لم تطلب ذلك فتجاهل هذه الرسالة، ولن يتغير شيء.',
  en: 'If you did not ask for this, ignore this message; nothing will change.',
};

/** What mails to people say. Names are those that strangers may have chosen. */
export const ACCOUNT_LETTERS: AccountLetters = {
  ...SECURITY_LETTERS,
  confirm_email: ({ name, link }) => ({
    ar: {
      subject: 'أكّد عنوان بريدك الإلكتروني',
      blocks: [
        greeting.ar(name),
        text('أكّد أن هذا العنوان لك. يلزم التأكيد قبل إنشاء مفتاح بيئة الإنتاج وقبل طلب الوصول إليها.'),
        ...action.ar('تأكيد العنوان', link, 'POST /v1/me/email/confirm'),
        note(IGNORE.ar),
      ],
    },
    en: {
      subject: 'Confirm your e-mail address',
      blocks: [
        greeting.en(name),
        text(
          'Confirm that this address is yours. This is required before you create a production key or request production access.',
        ),
        ...action.en('Confirm the address', link, 'POST /v1/me/email/confirm'),
        note(IGNORE.en),
      ],
    },
  }),
  signup: ({ name, link }) => ({
    ar: {
      subject: 'أكمل التسجيل',
      blocks: [
        greeting.ar(name),
        text('أكّد أن هذا العنوان لك لإكمال التسجيل، وستُطلب منك كلمة المرور التي اخترتها.'),
        ...action.ar('إكمال التسجيل', link, 'POST /v1/signup/confirm'),
        note(IGNORE.ar),
      ],
    },
    en: {
      subject: 'Complete your sign-up',
      blocks: [
        greeting.en(name),
        text('Confirm that this address is yours to complete the sign-up. You need the password that you chose.'),
        ...action.en('Complete the sign-up', link, 'POST /v1/signup/confirm'),
        note(IGNORE.en),
      ],
    },
  }),
  signup_known: ({ name }) => ({
    ar: {
      subject: 'لديك حساب بهذا العنوان',
      blocks: [
        greeting.ar(name),
        text('حاول شخص ما التسجيل بعنوان بريدك، ولديك حساب به، ولذلك لم يُنشأ حساب جديد.'),
        text('إن كنت أنت من حاول فسجّل الدخول إلى حسابك، أو أعد تعيين كلمة المرور إن نسيتها.'),
        note(IGNORE.ar),
      ],
    },
    en: {
      subject: 'You already have an account',
      blocks: [
        greeting.en(name),
        text('Somebody signed up with your address. It has an account already, so nothing was created.'),
        text('If it was you, sign in to your account, or reset the password if you forgot it.'),
        note(IGNORE.en),
      ],
    },
  }),
  reset_password: ({ name, link }) => ({
    ar: {
      subject: 'إعادة تعيين كلمة المرور',
      blocks: [
        greeting.ar(name),
        text('طُلبت إعادة تعيين كلمة مرور حسابك. اختر كلمة مرور جديدة:'),
        ...action.ar('اختيار كلمة مرور جديدة', link, 'POST /v1/password/reset'),
        note(IGNORE.ar),
      ],
    },
    en: {
      subject: 'Reset your password',
      blocks: [
        greeting.en(name),
        text('A reset of the password of your account was requested. Choose a new password:'),
        ...action.en('Choose a new password', link, 'POST /v1/password/reset'),
        note(IGNORE.en),
      ],
    },
  }),
  invite: ({ organization, inviter, role, link }) => {
    const [from, into] = [shownName(inviter), shownName(organization)];
    return {
      ar: {
        subject: arabic`دعوة إلى ${into}`,
        blocks: [
          text(arabic`دعاك ${from} إلى الانضمام إلى المؤسسة ${into} بدور: ${ROLES[role]}.`),
          ...action.ar('قبول الدعوة', link, 'POST /v1/invites/accept'),
          note('تنتهي صلاحية الدعوة بعد سبعة أيام. إن لم تكن تعرف المرسل فتجاهل هذه الرسالة.'),
        ],
      },
      en: {
        subject: `Invitation to ${into}`,
        blocks: [
          text(`${from} invites you to join the organization ${into} with the role ${role}.`),
          ...action.en('Accept the invitation', link, 'POST /v1/invites/accept'),
          note('The invitation expires after seven days. If you do not know the sender, ignore this message.'),
        ],
      },
    };
  },
  owner_created: ({ name, organization, link }) => {
    const of = shownName(organization);
    return {
      ar: {
        subject: arabic`أُنشئت المؤسسة ${of}`,
        blocks: [
          greeting.ar(name),
          text(arabic`أُنشئت لك المؤسسة ${of} وأنت مالكها. اختر كلمة مرور لتسجّل الدخول:`),
          ...action.ar('اختيار كلمة مرور', link, 'POST /v1/password/reset'),
        ],
      },
      en: {
        subject: `The organization ${of} was created`,
        blocks: [
          greeting.en(name),
          text(`The organization ${of} was created for you, and you are its owner. Choose a password to sign in:`),
          ...action.en('Choose a password', link, 'POST /v1/password/reset'),
        ],
      },
    };
  },
  production_decided: ({ organization, decision, reason }) => {
    const of = shownName(organization);
    const why = { ar: reasonFact('السبب', reason), en: reasonFact('Reason', reason) };
    return decision === 'approved'
      ? {
          ar: {
            subject: 'قُبل طلب الوصول إلى بيئة الإنتاج',
            blocks: [
              text(arabic`أصبحت المؤسسة ${of} في بيئة الإنتاج.`),
              text('أنشئ مفتاح بيئة إنتاج لإجراء مكالمات حقيقية. تبقى مفاتيح البيئة التجريبية صالحة كما هي.'),
            ],
          },
          en: {
            subject: 'Production access was approved',
            blocks: [
              text(`The organization ${of} is now a production account.`),
              text('Create a production key to place real calls. The sandbox keys stay valid as they are.'),
            ],
          },
        }
      : {
          ar: {
            subject: 'رُفض طلب الوصول إلى بيئة الإنتاج',
            blocks: [
              text(arabic`رُفض طلب المؤسسة ${of} للوصول إلى بيئة الإنتاج.`),
              ...why.ar,
              text('عالج السبب ثم قدّم طلبًا جديدًا.'),
            ],
          },
          en: {
            subject: 'Production access was rejected',
            blocks: [
              text(`The request of the organization ${of} for production access was rejected.`),
              ...why.en,
              text('Resolve the reason, then submit a new request.'),
            ],
          },
        };
  },
};

/** The link, and the request that takes its token from programs. */
const action = {
  ar: (label: string, url: string, request: string): MailBlock[] => [
    { kind: 'link', label, url },
    note(arabic`يعمل الرابط مرة واحدة ولمدة محدودة. يمكن أيضًا إرسال القيمة التي بعد ${'token='} في الطلب ${request}.`),
  ],
  en: (label: string, url: string, request: string): MailBlock[] => [
    { kind: 'link', label, url },
    note(
      `The link works once and for a limited time. A program can send the value after token= to ${request} instead.`,
    ),
  ],
};

function reasonFact(label: string, reason: string | null): MailBlock[] {
  return reason === null ? [] : [{ kind: 'facts', facts: [[label, reason]] }];
}
