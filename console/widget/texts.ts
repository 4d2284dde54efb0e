import { fillSlots } from '../../core/model/wording/wording.js';

export type Language = 'ar' | 'en';

const en = {
  button: 'Call me',
  title: 'We call you back',
  intro: 'Leave your number and your phone rings in a moment.',
  phone: 'Telephone number',
  name: 'Name (optional)',
  submit: 'Call me now',
  close: 'Close',
  again: 'Try again',
  working: 'One moment …',
  sandbox: 'A test: no phone rings.',
  code_intro: 'We are calling {to} to read you a code.',
  code: 'Code',
  code_submit: 'Confirm',
  code_again: 'Call me again with a code',
  code_wait: 'Again in {seconds} s',
  initiated: 'We are setting up the call to {to} …',
  ringing: 'Your phone is ringing. Please pick up.',
  answered: 'You are connected.',
  ended: 'The call has ended. Thank you.',
  missed: 'We could not reach you at {to}.',
  timeout: 'Nobody is free at the moment. Please try again later.',
  cancelled: 'The call was cancelled.',
  failed: 'The call failed. Please try again later.',
  lost: 'The connection was lost; your phone may still ring.',
  INVALID_PHONE_NUMBER: 'We cannot call this number.',
  SANDBOX_DESTINATION_NOT_ALLOWED: 'A test can call only the test numbers.',
  RATE_LIMIT_EXCEEDED: 'Too many requests. Please try again in {minutes} min.',
  CALL_VELOCITY_EXCEEDED: 'Too many requests. Please try again in {minutes} min.',
  OTP_INVALID: 'This code is wrong. Please check it.',
  OTP_EXPIRED: 'This code has expired. Please request another one.',
  OTP_TOO_MANY_ATTEMPTS: 'Too many wrong codes. Please request another one.',
  OTP_RESEND_TOO_SOON: 'A code was sent a moment ago. Please wait {seconds} s.',
  OTP_SEND_FAILED: 'The code could not be sent. Please check the number.',
  CALL_FAILED: 'We cannot call at the moment. Please try again later.',
  talk: 'Call from the browser',
  talk_microphone: 'The browser asks for your microphone.',
  talk_connecting: 'Connecting …',
  talk_ringing: 'It rings …',
  talk_connected: 'You are connected. Please speak.',
  talk_reconnecting: 'The network was interrupted. One moment …',
  talk_mute: 'Mute',
  talk_unmute: 'Unmute',
  talk_hangup: 'Hang up',
  other: 'That did not work. Please try again later.',
};

export type TextName = keyof typeof en;

const ar: Record<TextName, string> = {
  button: 'اتصلوا بي',
  title: 'سنتصل بك حالًا',
  intro: 'أدخل رقم جوالك وسنتصل بك خلال لحظات.',
  phone: 'رقم الجوال أو الهاتف',
  name: 'الاسم (اختياري)',
  submit: 'اتصلوا بي الآن',
  close: 'إغلاق',
  again: 'إعادة المحاولة',
  working: 'لحظة من فضلك…',
  sandbox: 'وضع تجريبي: لن يرن أي هاتف.',
  code_intro: 'سنتصل بك على {to} ونُملي عليك رمز التحقق.',
  code: 'رمز التحقق',
  code_submit: 'تأكيد',
  code_again: 'إعادة إرسال الرمز بمكالمة',
  code_wait: 'إعادة الإرسال بعد {seconds:second}',
  initiated: 'نجهّز المكالمة إلى {to}…',
  ringing: 'هاتفك يرن الآن. نرجو الرد.',
  answered: 'تم الاتصال، تفضّل بالتحدث.',
  ended: 'انتهت المكالمة. شكرًا لك.',
  missed: 'اتصلنا بك على {to} ولم يتم الرد.',
  timeout: 'جميع موظفينا مشغولون حاليًّا. نرجو المحاولة لاحقًا.',
  cancelled: 'أُلغيت المكالمة.',
  failed: 'تعذّر إجراء المكالمة. نرجو المحاولة لاحقًا.',
  lost: 'انقطع الاتصال بالخادم، وقد يرن هاتفك مع ذلك.',
  INVALID_PHONE_NUMBER: 'هذا ليس رقم هاتف يمكننا الاتصال به.',
  SANDBOX_DESTINATION_NOT_ALLOWED: 'في الوضع التجريبي يمكن الاتصال بأرقام الاختبار فقط.',
  RATE_LIMIT_EXCEEDED: 'تكررت الطلبات. نرجو المحاولة بعد {minutes:minute}.',
  CALL_VELOCITY_EXCEEDED: 'تكررت الطلبات. نرجو المحاولة بعد {minutes:minute}.',
  OTP_INVALID: 'الرمز غير صحيح. نرجو التحقق منه.',
  OTP_EXPIRED: 'انتهت صلاحية الرمز. نرجو طلب رمز جديد.',
  OTP_TOO_MANY_ATTEMPTS: 'أُدخل رمز خاطئ مرات كثيرة. نرجو طلب رمز جديد.',
  OTP_RESEND_TOO_SOON: 'أُرسل رمز قبل قليل. نرجو الانتظار {seconds:second}.',
  OTP_SEND_FAILED: 'تعذّر إرسال الرمز. نرجو التحقق من الرقم.',
  CALL_FAILED: 'لا يمكننا الاتصال الآن. نرجو المحاولة لاحقًا.',
  talk: 'اتصل من المتصفح',
  talk_microphone: 'يطلب المتصفح استخدام الميكروفون.',
  talk_connecting: 'جارٍ الاتصال…',
  talk_ringing: 'يرن الآن…',
  talk_connected: 'تم الاتصال، تفضّل بالتحدث.',
  talk_reconnecting: 'انقطعت الشبكة، لحظة من فضلك…',
  talk_mute: 'كتم',
  talk_unmute: 'إلغاء الكتم',
  talk_hangup: 'إنهاء',
  other: 'تعذّر تنفيذ طلبك. نرجو المحاولة لاحقًا.',
};

const texts: Record<Language, Record<TextName, string>> = { ar, en };

/** Returns a text in the language, with its placeholders filled in. */
export function say(language: Language, name: TextName, slots: Record<string, string | number> = {}): string {
  return fillSlots(texts[language][name], language, (slot) => slots[slot] ?? '');
}

export function isText(name: string): name is TextName {
  return name in en;
}
