export const SIGNUP_ERRORS = {
  SIGNUP_EMAIL_TAKEN: {
    status: 409,
    message: 'An account with this e-mail address already exists.',
    message_ar: 'يوجد حساب مسجّل بعنوان البريد الإلكتروني هذا.',
    hint: 'Sign in with that address, or reset its password if it is forgotten.',
    hint_ar: 'سجّل الدخول بذلك العنوان، أو أعد تعيين كلمة المرور إن نسيتها.',
  },
  SIGNUP_VALIDATION_FAILED: {
    status: 400,
    message: 'The sign-up form is not valid: {field}: {problem}',
    message_ar: 'استمارة التسجيل غير صالحة: {field}: {problem}',
    hint: 'Correct every field named in "details" and send the form again.',
    hint_ar: 'صحّح كل حقل مذكور في `details` ثم أعد إرسال الاستمارة.',
  },
  PBX_PROVISIONING_FAILED: {
    status: 502,
    message: 'The account could not be set up on a voice engine, so it was not created.',
    message_ar: 'تعذّرت تهيئة الحساب على محرّك الصوت، ولذلك لم يُنشأ.',
    hint: 'Try again in a few minutes with the same details.',
    hint_ar: 'أعد المحاولة بعد بضع دقائق بالبيانات نفسها.',
  },
  SIGNUP_FAILED: {
    status: 500,
    message: 'The account could not be created because of a fault on our side; nothing was stored.',
    message_ar: 'تعذّر إنشاء الحساب بسبب خلل لدينا، ولم تُحفظ أي بيانات.',
    hint: 'Try again. If it happens again, report the request_id.',
    hint_ar: 'أعد المحاولة. وإن تكرر الخطأ فأرسل قيمة `request_id` إلى الدعم.',
  },
} as const;
