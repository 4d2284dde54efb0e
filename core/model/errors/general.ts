import type { ErrorFamily } from './row.js';

export const GENERAL_ERRORS = {
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message:
      'More than {limit} requests were made in {window_seconds:second}; try again in {retry_after_seconds:second}.',
    message_ar:
      'تجاوز عدد الطلبات {limit} خلال {window_seconds:second}؛ أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header and watch X-RateLimit-Remaining to stay below the limit.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After`، وراقب `X-RateLimit-Remaining` لتبقى دون الحد.',
  },
  CAPTCHA_FAILED: {
    status: 400,
    message: 'The proof that a person sent this request is missing, wrong or already used.',
    message_ar: 'لم يُرفق إثبات أن مُرسل الطلب إنسان، أو أنه غير صحيح أو سبق استخدامه.',
    hint: 'Load a fresh challenge, solve it and send the request again.',
    hint_ar: 'حمّل اختبار تحقق جديدًا وأجب عنه ثم أعد إرسال الطلب.',
  },
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid: {field}: {problem}',
    message_ar: 'الطلب غير صالح: {field}: {problem}',
    hint: 'Correct every field named in "details" and send the request again. The API reference lists each field and its limits.',
    hint_ar: 'صحّح كل حقل مذكور في `details` ثم أعد إرسال الطلب. يبيّن مرجع API كل حقل وحدوده.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'The request could not be completed: {reason}.',
    message_ar: 'تعذّر إكمال الطلب: {reason}.',
    hint: 'Try again later, with the same Idempotency-Key if one was sent. If it happens again, report the request_id.',
    hint_ar:
      'أعد المحاولة لاحقًا بالقيمة نفسها في `Idempotency-Key` إن كنت قد أرسلتها. وإن تكرر الخطأ فأرسل قيمة `request_id` إلى الدعم.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not found: {what}.',
    message_ar: 'تعذّر العثور على: {what}.',
    hint: 'Check the method, the path and the ids in it. A resource of another project is not visible to this key.',
    hint_ar: 'تحقق من طريقة الطلب والمسار والمعرّفات فيه. موارد المشاريع الأخرى غير مرئية لهذا المفتاح.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The request body is larger than the {max} bytes allowed here.',
    message_ar: 'حجم محتوى الطلب أكبر من الحد المسموح به هنا وهو {max} بايت.',
    hint: 'Send a smaller body: JSON up to 1 MiB, audio files up to 12 MiB.',
    hint_ar: 'أرسل محتوى أصغر: بيانات JSON حتى 1 MiB، والملفات الصوتية حتى 12 MiB.',
  },
  IDEMPOTENCY_KEY_CONFLICT: {
    status: 409,
    message: 'The Idempotency-Key {idempotency_key} cannot be used for this request: {reason}.',
    message_ar: 'لا يمكن استخدام القيمة {idempotency_key} في `Idempotency-Key` لهذا الطلب: {reason}.',
    hint: 'Use a new key for every new request. To retry, send exactly the same body after the first request has finished.',
    hint_ar: 'استخدم قيمة جديدة لكل طلب جديد. ولإعادة المحاولة أرسل المحتوى نفسه تمامًا بعد انتهاء الطلب الأول.',
  },
} as const satisfies ErrorFamily;
