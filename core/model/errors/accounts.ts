import type { ErrorFamily } from './row.js';

export const ACCOUNT_ERRORS = {
  INSUFFICIENT_ROLE: {
    status: 403,
    message: 'This action requires the role {role} in the organization.',
    message_ar: 'يتطلب هذا الإجراء الدور {role} في المؤسسة.',
    hint: 'Ask an owner of the organization to do it or to change your role.',
    hint_ar: 'اطلب من أحد مالكي المؤسسة تنفيذ الإجراء أو تغيير دورك.',
  },
} as const satisfies ErrorFamily;
