import type { ApiChange } from './api-change.js';

/** The newest changes of messaging in this week. */
export const MESSAGING_W48_2026: readonly ApiChange[] = [
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'further channels of messages: `fallback` and `fallback_after_seconds` in `POST /v1/messages`, and `fallback` in messages; codes of `POST /v1/verify` over SMS and WhatsApp, if the project has a sender or a template for them',
    text_ar:
      'قنوات بديلة للرسائل: `fallback` و`fallback_after_seconds` في `POST /v1/messages`، والحقل `fallback` في الرسائل؛ وإرسال رموز `POST /v1/verify` عبر SMS وWhatsApp إذا كان للمشروع اسم مُرسِل أو قالب لها',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'broadcasts: `/v1/broadcasts` with `/recipients`, `/report`, `/start`, `/pause`, `/resume`, `/cancel` and `/retry`; the events `broadcast.*`; the errors `BROADCAST_INVALID_STATE` and `BROADCAST_LIMIT_EXCEEDED`; `broadcast_id` of messages; exports and erasures of personal data find recipients, too',
    text_ar:
      'الحملات: `/v1/broadcasts` مع `/recipients` و`/report` و`/start` و`/pause` و`/resume` و`/cancel` و`/retry`؛ والأحداث `broadcast.*`؛ ورمزا الخطأ `BROADCAST_INVALID_STATE` و`BROADCAST_LIMIT_EXCEEDED`؛ والحقل `broadcast_id` في الرسائل؛ وتشمل طلبات تصدير البيانات الشخصية ومحوها مستلمي الحملات أيضًا',
  },
];
