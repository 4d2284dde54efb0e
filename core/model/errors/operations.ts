import type { ErrorFamily } from './row.js';

export const OPERATION_ERRORS = {
  DLQ_REPLAY_DISABLED: {
    status: 503,
    message: 'Replaying failed deliveries is switched off in this environment.',
    message_ar: 'إعادة إرسال الأحداث التي فشل تسليمها معطّلة في هذه البيئة.',
    hint: 'Ask the operator to switch on replay. The failed deliveries are kept.',
    hint_ar: 'اطلب من المشغّل تفعيل إعادة الإرسال؛ فالأحداث التي فشل تسليمها محفوظة.',
  },
  DLQ_REPLAY_BROKER_UNAVAILABLE: {
    status: 503,
    message: 'Failed deliveries cannot be replayed at the moment: the job queue cannot be reached.',
    message_ar: 'لا يمكن إعادة إرسال الأحداث في الوقت الحالي: تعذّر الوصول إلى وسيط المهام.',
    hint: 'Try again when GET /v1/health reports Redis as ok. Nothing is lost meanwhile.',
    hint_ar: 'أعد المحاولة عندما يفيد `GET /v1/health` بأن Redis يعمل. لن يُفقد شيء في هذه الأثناء.',
  },
} as const satisfies ErrorFamily;
