export const RESERVED_MESSAGING_ERRORS = {
  RECIPIENT_OPTED_OUT: {
    status: 403,
    message: 'The recipient has opted out of messages of this category.',
    message_ar: 'ألغى المستلم اشتراكه في الرسائل من هذه الفئة.',
    hint: 'Do not send marketing to this contact again until they opt in themselves.',
    hint_ar: 'لا ترسل رسائل تسويقية إلى جهة الاتصال هذه إلى أن تعيد الاشتراك بنفسها.',
  },
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
