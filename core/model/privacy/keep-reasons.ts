import type { Phrase } from '../errors/index.js';

/** Why data stays although its erasure was requested, for those who read the report. */
export const KEEP_REASONS = {
  cdr: {
    en: 'Call detail records must be kept for the years that the operator sets. Then the number is removed.',
    ar: 'يجب حفظ سجلات تفاصيل المكالمات عدد السنوات الذي يحدده المشغّل، ثم يُزال الرقم منها.',
  },
  billing: {
    en: 'Invoices, payments and the ledger must be kept for the years that the operator sets.',
    ar: 'يجب حفظ الفواتير والمدفوعات ودفتر الحسابات عدد السنوات الذي يحدده المشغّل.',
  },
  audit: {
    en: 'The audit log is append-only. Its rows go when their own retention ends.',
    ar: 'لا تُعدَّل صفوف سجل التدقيق ولا تُحذف قبل انتهاء مدة الاحتفاظ بها.',
  },
  block: {
    en: 'The list of blocked callers needs the number: without it, the calls would be accepted again.',
    ar: 'تحتاج قائمة المتصلين المحظورين إلى الرقم؛ فبدونه تُقبل مكالماته من جديد.',
  },
  opt_out: {
    en: 'The person opted out of messages. Without the address, messages would be sent again.',
    ar: 'ألغى الشخص اشتراكه في الرسائل؛ وبدون العنوان تُرسل إليه الرسائل من جديد.',
  },
  legal_hold: {
    en: 'The operator keeps these recordings under legal hold.',
    ar: 'هذه التسجيلات محفوظة بأمر قانوني لا يرفعه إلا المشغّل.',
  },
  in_use: {
    en: 'It is a number or a setting that the organization still uses. Change or release it, then repeat the erasure.',
    ar: 'هذا رقم أو إعداد ما زالت المؤسسة تستخدمه. عدّله أو ألغِ تخصيصه ثم كرّر طلب المحو.',
  },
  member: {
    en: 'It belongs to a member of the organization. Erase the member by the user ID.',
    ar: 'يخص هذا أحد أعضاء المؤسسة. اطلب محو العضو بمعرّف المستخدم.',
  },
  other_person: {
    en: 'It is a conversation of another person, which this person only joined.',
    ar: 'هذه محادثة شخص آخر لم يكن هذا الشخص إلا طرفًا إضافيًّا فيها.',
  },
  number_order: {
    en: 'The number is on its way back to its provider.',
    ar: 'الرقم في طريقه إلى مزوّده.',
  },
} as const satisfies Readonly<Record<string, Phrase>>;

export type KeepReason = keyof typeof KEEP_REASONS;
