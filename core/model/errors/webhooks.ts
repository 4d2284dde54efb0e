import type { ErrorFamily } from './row.js';

export const WEBHOOK_ERRORS = {
  WEBHOOK_URL_INVALID: {
    status: 400,
    message: 'The webhook url cannot be used: {reason}.',
    message_ar: 'لا يمكن استخدام رابط Webhook لاستقبال الأحداث: {reason}.',
    hint: 'Provide an https url on a public address, without user name, password or fragment.',
    hint_ar: 'أرسل رابط https متاحًا على الإنترنت، بلا اسم مستخدم أو كلمة مرور أو جزء بعد `#`.',
  },
  WEBHOOK_UNREACHABLE: {
    status: 422,
    message: 'The webhook url did not answer the verification request: {reason}.',
    message_ar: 'لم يستجب رابط Webhook لطلب التحقق: {reason}.',
    hint: 'Make sure that the receiver is running, reachable from the internet and answers within 10 seconds.',
    hint_ar: 'تأكد من أن المستقبِل يعمل ويمكن الوصول إليه من الإنترنت ويستجيب خلال 10 ثوانٍ.',
  },
  WEBHOOK_LIMIT_EXCEEDED: {
    status: 409,
    message: 'This project already has {max} webhook endpoints, the maximum allowed.',
    message_ar: 'لدى هذا المشروع {max} من نقاط Webhook، وهو الحد الأقصى المسموح به.',
    hint: 'Delete an endpoint that is no longer needed, or widen the events of an existing one.',
    hint_ar: 'احذف نقطة لم تعد لازمة، أو وسّع قائمة الأحداث لنقطة موجودة.',
  },
  EVENT_STREAM_LIMIT_EXCEEDED: {
    status: 429,
    message:
      'This key already has {limit} event streams open, the maximum allowed; close one, or try again in {retry_after_seconds:second}.',
    message_ar:
      'لدى هذا المفتاح {limit} من اتصالات بث الأحداث المفتوحة، وهو الحد الأقصى المسموح به؛ أغلق أحدها أو أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Open one stream for all events of the project and share it, instead of one stream for each type or call.',
    hint_ar: 'افتح اتصالًا واحدًا لجميع أحداث المشروع واستخدمه مشتركًا، بدلًا من اتصال لكل نوع أو مكالمة.',
  },
  WEBHOOK_URL_DUPLICATE: {
    status: 409,
    message: 'This project already has a webhook endpoint with the same url.',
    message_ar: 'لدى هذا المشروع نقطة Webhook بالرابط نفسه.',
    hint: 'Change the existing endpoint with PATCH /v1/webhooks/{id} instead of creating another.',
    hint_ar: 'عدّل النقطة الموجودة عبر `PATCH /v1/webhooks/{id}` بدلًا من إنشاء أخرى.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    message: 'No webhook endpoint or delivery with the id {id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع نقطة Webhook أو عملية تسليم بالمعرّف {id}.',
    hint: 'List the endpoints with GET /v1/webhooks.',
    hint_ar: 'اعرض النقاط عبر `GET /v1/webhooks`.',
  },
  WEBHOOK_VERIFICATION_FAILED: {
    status: 422,
    message: 'The webhook url answered the verification request, but did not return the challenge that was sent.',
    message_ar: 'استجاب رابط Webhook لطلب التحقق، لكنه لم يُرجع قيمة `challenge` المرسلة إليه.',
    hint: 'Answer the event webhook.verify with a 2xx status and the body {"challenge": "<value from data.challenge>"}.',
    hint_ar:
      'استجب للحدث `webhook.verify` بحالة 2xx وبالمحتوى `{"challenge": "…"}`، حيث تحل محل `…` قيمة `data.challenge`.',
  },
} as const satisfies ErrorFamily;
