export const RESERVED_MESSAGING_ERRORS = {
  QUIET_HOURS_ACTIVE: {
    status: 409,
    message: 'Marketing messages are not sent now: quiet hours last until {until}.',
    message_ar: 'لا تُرسل الرسائل التسويقية الآن: تستمر ساعات الهدوء حتى {until}.',
    hint: 'Send again after the quiet hours, or schedule the message.',
    hint_ar: 'أعد الإرسال بعد ساعات الهدوء أو حدّد موعدًا لإرسال الرسالة.',
  },
} as const;
