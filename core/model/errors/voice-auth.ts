import type { ErrorFamily } from './row.js';

export const VOICE_AUTH_ERRORS = {
  VOICE_AUTH_DISABLED: {
    status: 503,
    message: 'Voice authentication is switched off in this environment.',
    message_ar: 'المصادقة بمكالمة هاتفية معطّلة في هذه البيئة.',
    hint: 'Ask the operator to switch on voice authentication.',
    hint_ar: 'اطلب من المشغّل تفعيل المصادقة بمكالمة هاتفية.',
  },
  VOICE_AUTH_NOT_FOUND: {
    status: 404,
    message: 'No voice authentication challenge with the id {challenge_id} exists in this project.',
    message_ar: 'لا يوجد في هذا المشروع طلب مصادقة بالمعرّف {challenge_id}.',
    hint: 'Use the challenge_id that was returned when the challenge was created.',
    hint_ar: 'استخدم `challenge_id` الذي أُرجع عند إنشاء طلب المصادقة.',
  },
  VOICE_AUTH_ASSURANCE_UNSUPPORTED: {
    status: 422,
    message: 'The assurance {assurance} is not supported; number_match is.',
    message_ar: 'مستوى الضمان {assurance} غير مدعوم؛ المستوى المدعوم هو `number_match`.',
    hint: 'Send "number_match" in the field "assurance".',
    hint_ar: 'أرسل القيمة `number_match` في الحقل `assurance`.',
  },
  VOICE_AUTH_RATE_LIMITED: {
    status: 429,
    message: 'Too many authentication calls were made to this number; try again in {retry_after_seconds:second}.',
    message_ar: 'أُجريت مكالمات مصادقة كثيرة إلى هذا الرقم؛ أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header. The limit protects people from unwanted calls.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After`؛ فهذا الحد يحمي الأشخاص من المكالمات غير المرغوبة.',
  },
  VOICE_AUTH_BLOCKED: {
    status: 403,
    message: 'Authentication calls to this number are blocked.',
    message_ar: 'مكالمات المصادقة إلى هذا الرقم محظورة.',
    hint: 'Use another way to authenticate this user, or ask the operator why the number is blocked.',
    hint_ar: 'استخدم وسيلة أخرى لمصادقة هذا المستخدم، أو اسأل المشغّل عن سبب حظر الرقم.',
  },
  VOICE_AUTH_BRAND_NOT_APPROVED: {
    status: 403,
    message: 'The brand {brand_id} may not be announced yet: its status is {status}.',
    message_ar: 'لم تُعتمد العلامة التجارية {brand_id} بعد، ولا يجوز ذكرها في المكالمات: حالتها {status}.',
    hint: 'Submit the brand and wait for its approval, or send the challenge without a brand_id.',
    hint_ar: 'اطلب اعتماد العلامة التجارية وانتظر القرار، أو أرسل طلب المصادقة بلا `brand_id`.',
  },
  VOICE_AUTH_BRAND_NOT_FOUND: {
    status: 404,
    message: 'No brand with the id {brand_id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع علامة تجارية بالمعرّف {brand_id}.',
    hint: 'List the brands with GET /v1/voice-auth/brands.',
    hint_ar: 'اعرض العلامات التجارية عبر `GET /v1/voice-auth/brands`.',
  },
  VOICE_AUTH_BRAND_INVALID_STATE: {
    status: 409,
    message: 'The brand cannot take this step: its status is {status}.',
    message_ar: 'لا يمكن تنفيذ هذه الخطوة على العلامة التجارية: حالتها {status}.',
    hint: 'A draft or rejected brand can be submitted; a pending one awaits the operator. Read it to see its current status.',
    hint_ar:
      'يمكن طلب اعتماد العلامة التجارية إذا كانت حالتها `draft` أو `rejected`؛ والحالة `pending` تنتظر قرار المشغّل. اقرأها لمعرفة حالتها الحالية.',
  },
  VOICE_AUTH_BRAND_DUPLICATE: {
    status: 409,
    message: 'A brand named {name} already exists in this project.',
    message_ar: 'توجد في هذا المشروع علامة تجارية باسم {name}.',
    hint: 'Use the existing brand or choose another name.',
    hint_ar: 'استخدم العلامة التجارية الموجودة أو اختر اسمًا آخر.',
  },
} as const satisfies ErrorFamily;
