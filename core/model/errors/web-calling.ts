import type { ErrorFamily } from './row.js';

export const WEB_CALLING_ERRORS = {
  WEB_CALLING_DISABLED: {
    status: 503,
    message: 'Calling from the browser is switched off in this environment.',
    message_ar: 'الاتصال من المتصفح معطّل في هذه البيئة.',
    hint: 'Ask the operator to switch on web calling.',
    hint_ar: 'اطلب من المشغّل تفعيل الاتصال من المتصفح.',
  },
  WEBRTC_CONCURRENCY_LIMIT: {
    status: 429,
    message: 'This project already has {max} web calls at once, the maximum allowed.',
    message_ar: 'يجري هذا المشروع {max} من مكالمات المتصفح في وقت واحد، وهو الحد الأقصى المسموح به.',
    hint: 'Try again when one of the calls has ended, or ask for a higher limit.',
    hint_ar: 'أعد المحاولة بعد انتهاء إحدى المكالمات، أو اطلب رفع الحد.',
  },
  WCS_NOT_FOUND: {
    status: 404,
    message: 'No web calling session with the id {session_id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع جلسة اتصال من المتصفح بالمعرّف {session_id}.',
    hint: 'Create a new session and use its id.',
    hint_ar: 'أنشئ جلسة جديدة واستخدم معرّفها.',
  },
  WCS_EXPIRED: {
    status: 401,
    message: 'The web calling session expired at {expired_at}.',
    message_ar: 'انتهت صلاحية جلسة الاتصال من المتصفح في {expired_at}.',
    hint: 'Create a new session from your server.',
    hint_ar: 'أنشئ جلسة جديدة من خادمك.',
  },
  WCS_REVOKED: {
    status: 401,
    message: 'The web calling session was revoked.',
    message_ar: 'أُلغيت جلسة الاتصال من المتصفح.',
    hint: 'Create a new session from your server.',
    hint_ar: 'أنشئ جلسة جديدة من خادمك.',
  },
  WCS_REUSE_DETECTED: {
    status: 401,
    message: 'The token of this web calling session was already used, so the session was revoked for safety.',
    message_ar: 'سبق استخدام رمز جلسة الاتصال من المتصفح هذه، ولذلك أُلغيت الجلسة حفاظًا على الأمان.',
    hint: 'Create a separate session for each browser.',
    hint_ar: 'خصّص لكل متصفح جلسة مستقلة.',
  },
  WCS_NOT_ALLOWED_AS_BEARER: {
    status: 401,
    message: 'A web calling token was sent as an API key.',
    message_ar: 'أُرسل رمز الاتصال من المتصفح بدلًا من مفتاح API.',
    hint: 'Use the web calling token only for the call from the browser, and an API key on your server for everything else.',
    hint_ar: 'استخدم رمز الاتصال من المتصفح للمكالمة فقط، واستخدم مفتاح API على خادمك لما عدا ذلك.',
  },
  WEBRTC_PROVISIONING_FAILED: {
    status: 502,
    message: 'The voice engine could not set up a connection for the browser.',
    message_ar: 'تعذّر على محرّك الصوت تهيئة اتصال للمتصفح.',
    hint: 'Try again in a few seconds.',
    hint_ar: 'أعد المحاولة بعد بضع ثوانٍ.',
  },
  TURN_UNAVAILABLE: {
    status: 503,
    message: 'No relay (TURN) server is available, so calls from restricted networks would have no sound.',
    message_ar: 'لا يتوفر خادم ترحيل (TURN)، ولذلك لن يُسمع صوت المكالمات من الشبكات المقيّدة.',
    hint: 'Try again later, or ask the operator to check the relay server.',
    hint_ar: 'أعد المحاولة لاحقًا، أو اطلب من المشغّل فحص خادم الترحيل.',
  },
} as const satisfies ErrorFamily;
