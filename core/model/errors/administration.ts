import type { ErrorFamily } from './row.js';

export const ADMINISTRATION_ERRORS = {
  SETUP_ALREADY_COMPLETE: {
    status: 409,
    message: 'The first set-up was already completed.',
    message_ar: 'سبق إكمال الإعداد الأولي.',
    hint: 'Sign in instead. Settings can be changed there.',
    hint_ar: 'سجّل الدخول لتغيير الإعدادات.',
  },
  ADMIN_UNAUTHORIZED: {
    status: 401,
    message: 'This operation needs a signed-in administrator of the platform.',
    message_ar: 'تتطلب هذه العملية تسجيل دخول أحد مسؤولي المنصة.',
    hint: 'Sign in as an administrator and repeat the request.',
    hint_ar: 'سجّل الدخول بحساب مسؤول ثم أعد الطلب.',
  },
  ADMIN_INVALID_CREDENTIALS: {
    status: 401,
    message: 'The e-mail address, the password, the second factor or the set-up code is wrong.',
    message_ar: 'عنوان البريد الإلكتروني أو كلمة المرور أو رمز التحقق بخطوتين أو رمز الإعداد غير صحيح.',
    hint: 'Check what you sent and try again. The set-up code is on the start screen.',
    hint_ar: 'تحقق مما أرسلته وأعد المحاولة. يظهر رمز الإعداد على شاشة بدء التشغيل.',
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
  SIP_EDGE_UNSUPPORTED: {
    status: 422,
    message: 'Phones and carriers do not come in through the SIP edge (SIP_EDGE={edge}): {feature} is not supported.',
    message_ar:
      'لا تدخل الهواتف وشركات الاتصالات عبر طبقة SIP الطرفية (`SIP_EDGE={edge}`)، فلا تتوفر الخاصية {feature}.',
    hint: 'Run the SIP edge and set SIP_EDGE=drachtio.',
    hint_ar: 'شغّل طبقة SIP الطرفية واضبط `SIP_EDGE=drachtio`.',
  },
  ENGINE_UNAUTHORIZED: {
    status: 401,
    message: 'The request to the engine interface does not carry the secret of a known voice engine.',
    message_ar: 'لا يحمل الطلب الموجّه إلى واجهة المحرّكات المفتاح السري لمحرّك صوت معروف.',
    hint: 'Check the engine secret in the settings of the voice engine.',
    hint_ar: 'تحقق من المفتاح السري للمحرّك في إعدادات محرّك الصوت.',
  },
} as const satisfies ErrorFamily;
