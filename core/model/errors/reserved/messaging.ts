export const RESERVED_MESSAGING_ERRORS = {
  CHANNEL_VERB_UNSUPPORTED: {
    status: 422,
    message: 'The channel {channel} does not support this action: {action}.',
    message_ar: 'القناة {channel} لا تدعم هذا الإجراء: {action}.',
    hint: 'Use another channel; the API reference lists what each channel can do.',
    hint_ar: 'استخدم قناة أخرى؛ يبيّن مرجع API ما تدعمه كل قناة.',
  },
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
} as const;
