import type { ErrorFamily } from './row.js';

export const CONTACT_ERRORS = {
  CONTACT_DUPLICATE: {
    status: 409,
    message: 'The contact {contact_id} has {what} already.',
    message_ar: 'لدى جهة الاتصال {contact_id} {what} نفسه من قبل.',
    hint: 'Change this contact, or remove it first: a project has one contact for each number and address.',
    hint_ar: 'عدّل جهة الاتصال هذه أو احذفها أولًا، فلكل رقم وعنوان جهة اتصال واحدة في المشروع.',
  },
  CONTACT_LIMIT_EXCEEDED: {
    status: 409,
    message: 'No more {what} can be added: {max} is the maximum.',
    message_ar: 'لا يمكن إضافة المزيد من {what}، فالحد الأقصى هو {max}.',
    hint: 'Remove what you no longer need.',
    hint_ar: 'احذف ما لم تعد بحاجة إليه.',
  },
  CONSENT_LOCKED_BY_END_USER: {
    status: 409,
    message: 'The consent of this contact was set by the person and cannot be changed for them.',
    message_ar: 'حدّد صاحب جهة الاتصال موافقته بنفسه، ولا يمكن تغييرها نيابة عنه.',
    hint: 'Only the person can opt in again, by the link or the keyword in a message.',
    hint_ar: 'لا يعيد الاشتراك إلا الشخص نفسه عبر الرابط أو الكلمة المفتاحية في إحدى الرسائل.',
  },
} as const satisfies ErrorFamily;
