import type { ApiChange } from './api-change.js';

export const OCTOBER_2026: readonly ApiChange[] = [
  {
    date: '2026-10-14',
    text: 'call velocity limit: `429` `CALL_VELOCITY_EXCEEDED` with `Retry-After`',
    text_ar: 'حد لوتيرة المكالمات: `429` مع `CALL_VELOCITY_EXCEEDED` وترويسة `Retry-After`',
    perEnvironment: true,
  },
  {
    date: '2026-10-13',
    text: '`GET /v1/usage`; `GET /v1/calls` page mode and filters',
    text_ar: '`GET /v1/usage`؛ ونمط الصفحات وعوامل التصفية في `GET /v1/calls`',
  },
  { date: '2026-10-05', text: 'graph call flows', text_ar: 'مسارات المكالمات المتفرعة (graph)', perEnvironment: true },
  {
    date: '2026-10-04',
    text: 'conferencing and `conference.*` events',
    text_ar: 'المكالمات الجماعية وأحداث `conference.*`',
    perEnvironment: true,
  },
  {
    date: '2026-10-02',
    text: 'call transfer and `call.transferred`; agent-leg in-call control',
    text_ar: 'تحويل المكالمات و`call.transferred`؛ والتحكم في طرف الموظف أثناء المكالمة',
    perEnvironment: true,
  },
  {
    date: '2026-10-01',
    text: 'caller brand for voice authentication',
    text_ar: 'علامة المتصل التجارية في المصادقة بمكالمة هاتفية',
    perEnvironment: true,
  },
];
