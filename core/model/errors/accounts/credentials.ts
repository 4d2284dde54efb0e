export const CREDENTIAL_ERRORS = {
  PROFILE_VALIDATION_FAILED: {
    status: 400,
    message: 'The profile is not valid: {field}: {problem}',
    message_ar: 'الملف الشخصي غير صالح: {field}: {problem}',
    hint: 'Correct every field named in "details" and save again.',
    hint_ar: 'صحّح كل حقل مذكور في `details` ثم احفظ من جديد.',
  },
  INVALID_IDENTITY: {
    status: 400,
    message: 'This identity cannot be used: {reason}.',
    message_ar: 'لا يمكن استخدام هذه الهوية: {reason}.',
    hint: 'Give an e-mail address or a telephone number that you can receive messages at.',
    hint_ar: 'أدخل عنوان بريد إلكتروني أو رقم هاتف يمكنك استقبال الرسائل عليه.',
  },
  IDENTITY_CONFLICT: {
    status: 409,
    message: 'This e-mail address or passkey already belongs to another account, or to this one.',
    message_ar: 'عنوان البريد الإلكتروني أو مفتاح المرور هذا مسجّل من قبل في حساب آخر أو في هذا الحساب.',
    hint: 'Sign in to the account that has it, or use another one.',
    hint_ar: 'سجّل الدخول إلى الحساب المسجّل فيه، أو استخدم غيره.',
  },
  PASSWORD_VALIDATION_FAILED: {
    status: 400,
    message: 'The new password is not accepted: {problem}',
    message_ar: 'كلمة المرور الجديدة غير مقبولة: {problem}',
    hint: 'Choose a long password that you use nowhere else.',
    hint_ar: 'اختر كلمة مرور طويلة لا تستخدمها في موقع آخر.',
  },
  INVALID_CURRENT_PASSWORD: {
    status: 400,
    message: 'The current password is wrong, so the password was not changed.',
    message_ar: 'كلمة المرور الحالية غير صحيحة، ولذلك لم تُغيَّر كلمة المرور.',
    hint: 'Enter the password that you sign in with at present, or reset it.',
    hint_ar: 'أدخل كلمة المرور التي تسجّل بها الدخول حاليًّا، أو أعد تعيينها.',
  },
  PASSWORD_SSO_ONLY: {
    status: 403,
    message: 'This account signs in through single sign-on, not with a password or a passkey.',
    message_ar: 'يستخدم هذا الحساب تسجيل الدخول الموحّد (SSO)، لا كلمة مرور ولا مفتاح مرور.',
    hint: 'Sign in through the identity provider of your organization, at /v1/sso/start.',
    hint_ar: 'سجّل الدخول عبر مزوّد الهوية الخاص بمؤسستك من `/v1/sso/start`.',
  },
} as const;
