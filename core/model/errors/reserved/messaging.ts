export const RESERVED_MESSAGING_ERRORS = {
  QUIET_HOURS_ACTIVE: {
    status: 409,
    message: 'Marketing messages are not sent now: quiet hours last until {until}.',
    message_ar: 'لا تُرسل الرسائل التسويقية الآن: تستمر ساعات الهدوء حتى {until}.',
    hint: 'Send again after the quiet hours, or schedule the message.',
    hint_ar: 'أعد الإرسال بعد ساعات الهدوء أو حدّد موعدًا لإرسال الرسالة.',
  },
  CONSENT_LOCKED_BY_END_USER: {
    status: 409,
    message: 'The consent of this contact was set by the person and cannot be changed for them.',
    message_ar: 'حدّد صاحب جهة الاتصال موافقته بنفسه، ولا يمكن تغييرها نيابة عنه.',
    hint: 'Only the person can opt in again, by the link or the keyword in a message.',
    hint_ar: 'لا يعيد الاشتراك إلا الشخص نفسه عبر الرابط أو الكلمة المفتاحية في إحدى الرسائل.',
  },
} as const;
