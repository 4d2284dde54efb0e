export const MEMBER_ERRORS = {
  INSUFFICIENT_ROLE: {
    status: 403,
    message: 'This action requires the role {role} in the organization.',
    message_ar: 'يتطلب هذا الإجراء الدور {role} في المؤسسة.',
    hint: 'Ask an owner of the organization to do it or to change your role.',
    hint_ar: 'اطلب من أحد مالكي المؤسسة تنفيذ الإجراء أو تغيير دورك.',
  },
  LAST_OWNER: {
    status: 409,
    message: 'This is the last owner of the organization and can neither leave nor lose the role.',
    message_ar: 'هذا آخر مالك للمؤسسة، فلا يمكنه مغادرتها ولا يمكن سحب هذا الدور منه.',
    hint: 'Make another member an owner first.',
    hint_ar: 'اجعل عضوًا آخر مالكًا أولًا.',
  },
} as const;
