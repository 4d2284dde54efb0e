import type { ErrorFamily } from './row.js';

export const INVITATION_ERRORS = {
  INVITE_NOT_FOUND: {
    status: 404,
    message: 'This invitation does not exist.',
    message_ar: 'هذه الدعوة غير موجودة.',
    hint: 'Open the link from the newest invitation e-mail, whole and unchanged.',
    hint_ar: 'افتح الرابط الوارد في أحدث رسالة دعوة كاملًا ودون تغيير.',
  },
  INVITE_NOT_PENDING: {
    status: 409,
    message: 'This invitation is no longer open: its status is {status}.',
    message_ar: 'لم تعد هذه الدعوة مفتوحة: حالتها {status}.',
    hint: 'Ask for a new invitation if you are not a member yet.',
    hint_ar: 'اطلب دعوة جديدة إن لم تكن عضوًا بعد.',
  },
  INVITE_EXPIRED: {
    status: 410,
    message: 'This invitation expired at {expired_at}.',
    message_ar: 'انتهت صلاحية هذه الدعوة في {expired_at}.',
    hint: 'Ask the person who invited you to send the invitation again.',
    hint_ar: 'اطلب ممن دعاك إعادة إرسال الدعوة.',
  },
  INVITE_ROLE_INVALID: {
    status: 400,
    message: 'Nobody can be invited with the role {role}.',
    message_ar: 'لا يمكن دعوة أحد بالدور {role}.',
    hint: 'Choose one of the roles of the organization that is not above your own.',
    hint_ar: 'اختر أحد أدوار المؤسسة على ألا يعلو على دورك.',
  },
  INVITE_ALREADY_MEMBER: {
    status: 409,
    message: 'This person is already a member of the organization.',
    message_ar: 'هذا الشخص عضو في المؤسسة بالفعل.',
    hint: 'Change the role of the member instead of inviting again.',
    hint_ar: 'غيّر دور العضو بدلًا من دعوته مرة أخرى.',
  },
  INVITE_EMAIL_OTHER_ORG: {
    status: 409,
    message: 'This e-mail address belongs to a member of another organization.',
    message_ar: 'عنوان البريد الإلكتروني هذا لعضو في مؤسسة أخرى.',
    hint: 'Invite the person with another address, or have them leave the other organization first.',
    hint_ar: 'ادعُ الشخص بعنوان آخر، أو اطلب منه مغادرة المؤسسة الأخرى أولًا.',
  },
  INVITE_ACCOUNT_DETAILS_REQUIRED: {
    status: 400,
    message: 'A name and a password are needed to accept this invitation, since no account exists for its address.',
    message_ar: 'يتطلب قبول هذه الدعوة اسمًا وكلمة مرور، إذ لا يوجد حساب لعنوانها.',
    hint: 'Send the name and the password of the new account together with the acceptance.',
    hint_ar: 'أرسل اسم الحساب الجديد وكلمة مروره مع القبول.',
  },
} as const satisfies ErrorFamily;
