export const MEMBER_ERRORS = {
  LAST_OWNER: {
    status: 409,
    message: 'This is the last owner of the organization and can neither leave nor lose the role.',
    message_ar: 'هذا آخر مالك للمؤسسة، فلا يمكنه مغادرتها ولا يمكن سحب هذا الدور منه.',
    hint: 'Make another member an owner first.',
    hint_ar: 'اجعل عضوًا آخر مالكًا أولًا.',
  },
} as const;
