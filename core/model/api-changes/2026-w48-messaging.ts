import type { ApiChange } from './api-change.js';

/** The newest changes of messaging in this week. */
export const MESSAGING_W48_2026: readonly ApiChange[] = [
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'broadcasts: `/v1/broadcasts` with `/recipients`, `/report`, `/start`, `/pause`, `/resume`, `/cancel` and `/retry`; the events `broadcast.*`; the errors `BROADCAST_INVALID_STATE` and `BROADCAST_LIMIT_EXCEEDED`; `broadcast_id` of messages; exports and erasures of personal data find recipients, too',
    text_ar:
      'الحملات: `/v1/broadcasts` مع `/recipients` و`/report` و`/start` و`/pause` و`/resume` و`/cancel` و`/retry`؛ والأحداث `broadcast.*`؛ ورمزا الخطأ `BROADCAST_INVALID_STATE` و`BROADCAST_LIMIT_EXCEEDED`؛ والحقل `broadcast_id` في الرسائل؛ وتشمل طلبات تصدير البيانات الشخصية ومحوها مستلمي الحملات أيضًا',
  },
];
