import type { ApiChange } from './api-change.js';

export const AUGUST_2026: readonly ApiChange[] = [
  { date: '2026-08-29', text: 'call flows', text_ar: 'مسارات المكالمات', perEnvironment: true },
  {
    date: '2026-08-26',
    text: 'messaging, broadcasts, contacts (enabled per environment); caller ID check `CLI_NOT_OWNED`',
    text_ar: 'الرسائل والحملات وجهات الاتصال (تُفعّل لكل بيئة)؛ والتحقق من رقم المتصل `CLI_NOT_OWNED`',
  },
  { date: '2026-08-15', text: 'virtual numbers', text_ar: 'الأرقام الافتراضية', perEnvironment: true },
  {
    date: '2026-08-14',
    text: 'queues: agent login, logout, members',
    text_ar: 'قوائم الانتظار: تسجيل دخول الموظفين وخروجهم، وعرض الأعضاء',
  },
  { date: '2026-08-03', text: 'web callback widget', text_ar: 'أداة طلب معاودة الاتصال على الويب' },
  {
    date: '2026-08-02',
    text: '`POST /v1/calls` (production keys)',
    text_ar: '`POST /v1/calls` (مفاتيح بيئة الإنتاج)',
  },
];
