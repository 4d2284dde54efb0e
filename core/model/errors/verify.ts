import type { ErrorFamily } from './row.js';

export const VERIFY_ERRORS = {
  VERIFY_DISABLED: {
    status: 503,
    message: 'Verification by one-time codes is switched off in this environment.',
    message_ar: 'خدمة رموز التحقق معطّلة في هذه البيئة.',
    hint: 'Ask the operator to switch on verification.',
    hint_ar: 'اطلب من المشغّل تفعيل خدمة التحقق.',
  },
  VERIFY_NOT_FOUND: {
    status: 404,
    message: 'No verification with the id {verification_id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع عملية تحقق بالمعرّف {verification_id}.',
    hint: 'Use the verification_id that POST /v1/verify returned.',
    hint_ar: 'استخدم `verification_id` الذي أرجعه `POST /v1/verify`.',
  },
  VERIFY_INVALID_CODE: {
    status: 400,
    message: 'The code is not {length:digit} long or contains other characters; no attempt was counted.',
    message_ar: 'يجب أن يتكوّن الرمز من {length:digit} فقط، ولم تُحتسب هذه المحاولة.',
    hint: 'Send the code exactly as the user received it, as digits without spaces.',
    hint_ar: 'أرسل الرمز كما وصل إلى المستخدم تمامًا: أرقام بلا مسافات.',
  },
  VERIFY_MAX_ATTEMPTS: {
    status: 409,
    message: 'The code of this verification was entered wrongly {max} times; it can no longer be checked.',
    message_ar: 'استُنفدت محاولات إدخال رمز عملية التحقق هذه ({max})، ولم يعد التحقق منه ممكنًا.',
    hint: 'Start a new verification with POST /v1/verify.',
    hint_ar: 'ابدأ عملية تحقق جديدة عبر `POST /v1/verify`.',
  },
  VERIFY_EXPIRED: {
    status: 410,
    message: 'This verification expired at {expired_at}.',
    message_ar: 'انتهت صلاحية عملية التحقق هذه في {expired_at}.',
    hint: 'Start a new verification with POST /v1/verify.',
    hint_ar: 'ابدأ عملية تحقق جديدة عبر `POST /v1/verify`.',
  },
  VERIFY_RATE_LIMITED: {
    status: 429,
    message: 'Too many codes were sent to this recipient; try again in {retry_after_seconds:second}.',
    message_ar: 'أُرسلت رموز كثيرة إلى هذا المستلم؛ أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header before sending another code.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After` قبل إرسال رمز آخر.',
  },
  VERIFY_SEND_FAILED: {
    status: 502,
    message: 'The code could not be sent by {channel}.',
    message_ar: 'تعذّر إرسال الرمز عبر {channel}.',
    hint: 'See `details` for the reason. Try again, or choose another channel: voice, sms, chatapp or email.',
    hint_ar: 'اطّلع على السبب في `details`. أعد المحاولة أو اختر قناة أخرى: `voice` أو `sms` أو `chatapp` أو `email`.',
  },
  VERIFY_BLOCKED: {
    status: 403,
    message: 'Codes may not be sent to this recipient.',
    message_ar: 'لا يجوز إرسال رموز التحقق إلى هذا المستلم.',
    hint: 'The number or its prefix is blocked against abuse. Use another number or ask the operator.',
    hint_ar: 'الرقم أو بادئته محظورة منعًا لإساءة الاستخدام. استخدم رقمًا آخر أو راجع المشغّل.',
  },
} as const satisfies ErrorFamily;
