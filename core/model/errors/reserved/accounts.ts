export const RESERVED_ACCOUNT_ERRORS = {
  INVALID_IDENTITY: {
    status: 400,
    message: 'The identity given by the sign-in provider cannot be used: {reason}.',
    message_ar: 'لا يمكن استخدام الهوية الواردة من مزوّد تسجيل الدخول: {reason}.',
    hint: 'Sign in at the provider again with an account whose e-mail address is verified.',
    hint_ar: 'سجّل الدخول لدى المزوّد من جديد بحساب بريده الإلكتروني موثّق.',
  },
  IDENTITY_CONFLICT: {
    status: 409,
    message: 'This identity is already linked to another account.',
    message_ar: 'هذه الهوية مرتبطة بحساب آخر.',
    hint: 'Sign in with the other account, or unlink the identity there first.',
    hint_ar: 'سجّل الدخول بالحساب الآخر، أو ألغِ ربط الهوية فيه أولًا.',
  },
  PROFILE_VALIDATION_FAILED: {
    status: 400,
    message: 'The profile is not valid: {field}: {problem}',
    message_ar: 'الملف الشخصي غير صالح: {field}: {problem}',
    hint: 'Correct every field named in "details" and save again.',
    hint_ar: 'صحّح كل حقل مذكور في `details` ثم احفظ من جديد.',
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
    message: 'This account signs in through single sign-on and has no password.',
    message_ar: 'يستخدم هذا الحساب تسجيل الدخول الموحّد (SSO) وليست له كلمة مرور.',
    hint: 'Sign in through the identity provider of your organization.',
    hint_ar: 'سجّل الدخول عبر مزوّد الهوية الخاص بمؤسستك.',
  },
} as const;
