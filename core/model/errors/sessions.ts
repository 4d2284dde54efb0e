import type { ErrorFamily } from './row.js';

export const SESSION_ERRORS = {
  INVALID_CREDENTIALS: {
    status: 401,
    message: 'The e-mail address or the password is wrong.',
    message_ar: 'عنوان البريد الإلكتروني أو كلمة المرور غير صحيحة.',
    hint: 'Check both and try again, or reset the password.',
    hint_ar: 'تحقق منهما وأعد المحاولة، أو أعد تعيين كلمة المرور.',
  },
  SESSION_REQUIRED: {
    status: 403,
    message: 'This operation needs a signed-in user; an API key is not enough.',
    message_ar: 'تتطلب هذه العملية مستخدمًا سجّل دخوله، ولا يكفي لها مفتاح API.',
    hint: 'Sign in and send the access token of the session.',
    hint_ar: 'سجّل الدخول وأرسل رمز الوصول الخاص بالجلسة.',
  },
  INVALID_ACCESS_TOKEN: {
    status: 401,
    message: 'The access token is malformed or was not issued here, or its session has ended.',
    message_ar: 'رمز الوصول غير سليم أو لم تصدره هذه المنصة، أو انتهت جلسته.',
    hint: 'Sign in again to get a new access token.',
    hint_ar: 'سجّل الدخول من جديد للحصول على رمز وصول جديد.',
  },
  EXPIRED_ACCESS_TOKEN: {
    status: 401,
    message: 'The access token expired at {expired_at}.',
    message_ar: 'انتهت صلاحية رمز الوصول في {expired_at}.',
    hint: 'Use the refresh token to get a new access token.',
    hint_ar: 'استخدم رمز التجديد للحصول على رمز وصول جديد.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    message: 'The refresh token is malformed, unknown or was revoked.',
    message_ar: 'رمز التجديد غير سليم أو غير معروف أو أُلغي.',
    hint: 'Sign in again.',
    hint_ar: 'سجّل الدخول من جديد.',
  },
  EXPIRED_REFRESH_TOKEN: {
    status: 401,
    message: 'The refresh token expired at {expired_at}.',
    message_ar: 'انتهت صلاحية رمز التجديد في {expired_at}.',
    hint: 'Sign in again.',
    hint_ar: 'سجّل الدخول من جديد.',
  },
  REFRESH_REUSE_DETECTED: {
    status: 401,
    message: 'This refresh token was used before, so the whole session was ended for safety.',
    message_ar: 'سبق استخدام رمز التجديد هذا، ولذلك أُنهيت الجلسة كلها حفاظًا على الأمان.',
    hint: 'Sign in again, and change the password if you did not expect this.',
    hint_ar: 'سجّل الدخول من جديد، وغيّر كلمة المرور إن لم تكن تتوقع ذلك.',
  },
  REFRESH_ROTATION_RACE: {
    status: 409,
    message: 'Another request refreshed this session at the same moment.',
    message_ar: 'جدّد طلب آخر هذه الجلسة في اللحظة نفسها.',
    hint: 'Use the tokens that the other request received. Refresh from one place at a time.',
    hint_ar: 'استخدم الرموز التي حصل عليها الطلب الآخر، وجدّد الجلسة من موضع واحد في كل مرة.',
  },
  SESSION_IDLE_TIMEOUT: {
    status: 401,
    message: 'The session was ended after {minutes:minute} without activity.',
    message_ar: 'أُنهيت الجلسة بعد خمول دام {minutes:minute}.',
    hint: 'Sign in again.',
    hint_ar: 'سجّل الدخول من جديد.',
  },
} as const satisfies ErrorFamily;
