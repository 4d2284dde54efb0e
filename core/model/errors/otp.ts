import type { ErrorFamily } from './row.js';

export const OTP_ERRORS = {
  OTP_INVALID: {
    status: 400,
    message: 'The one-time code is wrong; attempts left: {attempts_left}.',
    message_ar: 'رمز التحقق غير صحيح؛ عدد المحاولات المتبقية: {attempts_left}.',
    hint: 'Enter the newest code that was received. An earlier code stops working when a new one is sent.',
    hint_ar: 'أدخل أحدث رمز وصل إليك؛ فالرمز السابق يبطل عند إرسال رمز جديد.',
  },
  OTP_EXPIRED: {
    status: 410,
    message: 'The one-time code has expired.',
    message_ar: 'انتهت صلاحية رمز التحقق.',
    hint: 'Request a new code and enter it in time.',
    hint_ar: 'اطلب رمزًا جديدًا وأدخله قبل انتهاء مدته.',
  },
  OTP_TOO_MANY_ATTEMPTS: {
    status: 409,
    message: 'The one-time code was entered wrongly {max} times and is now blocked.',
    message_ar: 'استُنفدت محاولات إدخال رمز التحقق ({max})، ولذلك أُوقف.',
    hint: 'Request a new code.',
    hint_ar: 'اطلب رمزًا جديدًا.',
  },
  OTP_RESEND_TOO_SOON: {
    status: 429,
    message: 'A one-time code was sent a moment ago; a new one can be requested in {retry_after_seconds:second}.',
    message_ar: 'أُرسل رمز تحقق قبل قليل؛ يمكن طلب رمز جديد بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header before requesting another code.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After` قبل طلب رمز آخر.',
  },
  OTP_SEND_FAILED: {
    status: 502,
    message: 'The one-time code could not be delivered to the carrier or provider.',
    message_ar: 'تعذّر تسليم رمز التحقق إلى شركة الاتصالات أو مزوّد الخدمة.',
    hint: 'Check that the number or address can receive messages, then try again.',
    hint_ar: 'تأكد من أن الرقم أو العنوان قادر على استقبال الرسائل ثم أعد المحاولة.',
  },
  INVALID_PHONE_NUMBER: {
    status: 400,
    message: 'The value of {field} is not a phone number that can be used here.',
    message_ar: 'قيمة {field} ليست رقم هاتف يمكن استخدامه هنا.',
    hint: 'Send E.164 (+966501234567) or the Saudi national form (0501234567). Foreign numbers work only if a trunk allows them. To reach an agent, name the agent in `connect`, or call the number that is bound to the agent.',
    hint_ar:
      'أرسل الرقم بصيغة E.164 (`+966501234567`) أو بالصيغة المحلية السعودية (`0501234567`). تُقبل الأرقام الدولية حيث يسمح بها خط الربط فقط. وللوصول إلى موظف اذكره في `connect`، أو اتصل بالرقم المربوط به.',
  },
} as const satisfies ErrorFamily;
