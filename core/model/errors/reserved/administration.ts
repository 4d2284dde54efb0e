export const RESERVED_ADMINISTRATION_ERRORS = {
  ADMIN_UNAUTHORIZED: {
    status: 401,
    message: 'This operation needs a signed-in administrator of the platform.',
    message_ar: 'تتطلب هذه العملية تسجيل دخول أحد مسؤولي المنصة.',
    hint: 'Sign in as an administrator and repeat the request.',
    hint_ar: 'سجّل الدخول بحساب مسؤول ثم أعد الطلب.',
  },
  ADMIN_INVALID_CREDENTIALS: {
    status: 401,
    message: 'The administrator name, password or second factor is wrong.',
    message_ar: 'اسم المسؤول أو كلمة المرور أو رمز التحقق بخطوتين غير صحيح.',
    hint: 'Check all of them and try again.',
    hint_ar: 'تحقق منها جميعًا وأعد المحاولة.',
  },
  ADMIN_ORG_OWNER_EMAIL_TAKEN: {
    status: 409,
    message: 'The e-mail address of the new owner already belongs to another account.',
    message_ar: 'عنوان البريد الإلكتروني للمالك الجديد مسجّل لحساب آخر.',
    hint: 'Give another address for the owner of the organization.',
    hint_ar: 'أدخل عنوانًا آخر لمالك المؤسسة.',
  },
  ADMIN_USER_NOT_FOUND: {
    status: 404,
    message: 'No user with the id {user_id} exists.',
    message_ar: 'لا يوجد مستخدم بالمعرّف {user_id}.',
    hint: 'Search the users to find the right id.',
    hint_ar: 'ابحث في قائمة المستخدمين للعثور على المعرّف الصحيح.',
  },
} as const;
