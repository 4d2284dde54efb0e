export const RESERVED_ACCOUNT_ERRORS = {
  SETUP_ALREADY_COMPLETE: {
    status: 409,
    message: 'The first set-up was already completed.',
    message_ar: 'سبق إكمال الإعداد الأولي.',
    hint: 'Sign in instead. Settings can be changed there.',
    hint_ar: 'سجّل الدخول لتغيير الإعدادات.',
  },
} as const;
