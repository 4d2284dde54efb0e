import type { ApiChange } from './api-change.js';

export const SEPTEMBER_2026: readonly ApiChange[] = [
  { date: '2026-09-26', text: 'in-call control', text_ar: 'التحكم أثناء المكالمة', perEnvironment: true },
  {
    date: '2026-09-24',
    text: 'scopes enforced on every route',
    text_ar: 'تطبيق نطاقات الصلاحية على كل مسار API',
  },
  { date: '2026-09-07', text: 'voicemail', text_ar: 'البريد الصوتي', perEnvironment: true },
  { date: '2026-09-02', text: 'verify one-time codes', text_ar: 'رموز التحقق لمرة واحدة', perEnvironment: true },
  { date: '2026-09-01', text: 'voice authentication', text_ar: 'المصادقة بمكالمة هاتفية', perEnvironment: true },
];
