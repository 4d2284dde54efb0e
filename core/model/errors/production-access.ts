import type { ErrorFamily } from './row.js';

export const PRODUCTION_ACCESS_ERRORS = {
  PRODUCTION_TIER_REQUIRED: {
    status: 403,
    message: 'This feature needs a production account; this organization is still a sandbox account.',
    message_ar: 'تتطلب هذه الميزة حساب إنتاج، وهذه المؤسسة لا تزال حسابًا تجريبيًّا.',
    hint: 'Request production access for the organization.',
    hint_ar: 'اطلب للمؤسسة الوصول إلى بيئة الإنتاج.',
  },
} as const satisfies ErrorFamily;
