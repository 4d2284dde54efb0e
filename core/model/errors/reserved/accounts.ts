export const RESERVED_ACCOUNT_ERRORS = {
  SETUP_ALREADY_COMPLETE: {
    status: 409,
    message: 'The first set-up was already completed.',
    message_ar: 'سبق إكمال الإعداد الأولي.',
    hint: 'Sign in instead. Settings can be changed there.',
    hint_ar: 'سجّل الدخول لتغيير الإعدادات.',
  },
  LAST_OWNER: {
    status: 409,
    message: 'This is the last owner of the organization and can neither leave nor lose the role.',
    message_ar: 'هذا آخر مالك للمؤسسة، فلا يمكنه مغادرتها ولا يمكن سحب هذا الدور منه.',
    hint: 'Make another member an owner first.',
    hint_ar: 'اجعل عضوًا آخر مالكًا أولًا.',
  },
} as const;
