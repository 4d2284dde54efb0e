import type { ErrorFamily } from './row.js';

export const NATIONAL_ID_ERRORS = {
  INVALID_NATIONAL_ID: {
    status: 400,
    message: 'This is not a valid Saudi national id or residence number.',
    message_ar: 'هذا ليس رقم هوية وطنية أو رقم إقامة سعوديًّا صالحًا.',
    hint: 'Enter the 10 digits as printed: a national id starts with 1, a residence number with 2.',
    hint_ar: 'أدخل الأرقام العشرة كما هي مطبوعة: يبدأ رقم الهوية الوطنية بالرقم 1 ورقم الإقامة بالرقم 2.',
  },
  NATIONALID_INITIATE_FAILED: {
    status: 502,
    message: 'The identity verification could not be started at the provider.',
    message_ar: 'تعذّر بدء التحقق من الهوية لدى مزوّد الخدمة.',
    hint: 'Try again in a few minutes.',
    hint_ar: 'أعد المحاولة بعد بضع دقائق.',
  },
  NATIONALID_NOT_VERIFIED: {
    status: 403,
    message: 'The national id of the account owner has not been verified yet.',
    message_ar: 'لم يكتمل التحقق من الهوية الوطنية لمالك الحساب بعد.',
    hint: 'Finish the identity verification that was started.',
    hint_ar: 'أكمل عملية التحقق من الهوية التي بدأتها.',
  },
  NATIONALID_REJECTED: {
    status: 403,
    message: 'The identity verification was rejected.',
    message_ar: 'رُفض طلب التحقق من الهوية.',
    hint: 'Check the id and start the verification again, or contact support.',
    hint_ar: 'تحقق من رقم الهوية وابدأ التحقق من جديد، أو تواصل مع الدعم.',
  },
  NATIONALID_EXPIRED: {
    status: 410,
    message: 'The identity verification was not finished in time and has expired.',
    message_ar: 'لم يكتمل التحقق من الهوية في الوقت المحدد وانتهت صلاحيته.',
    hint: 'Start the verification again and confirm it on your phone in time.',
    hint_ar: 'ابدأ التحقق من جديد وأكّده من هاتفك في الوقت المحدد.',
  },
  NATIONALID_ALREADY_REGISTERED: {
    status: 409,
    message: 'This national id is already registered with another account.',
    message_ar: 'رقم الهوية هذا مسجّل في حساب آخر.',
    hint: 'Use the other account, or contact support if it is not yours.',
    hint_ar: 'استخدم الحساب الآخر، أو تواصل مع الدعم إن لم يكن حسابك.',
  },
  NATIONALID_INVALID_WEBHOOK: {
    status: 401,
    message: 'The notification from the identity provider is not signed as agreed.',
    message_ar: 'إشعار مزوّد التحقق من الهوية غير موقّع على النحو المتفق عليه.',
    hint: 'Check that the provider and this environment hold the same signing secret.',
    hint_ar: 'تأكد من تطابق مفتاح التوقيع السري لدى المزوّد وفي هذه البيئة.',
  },
  NATIONALID_ALREADY_VERIFIED: {
    status: 409,
    message: 'The national id of this account is already verified.',
    message_ar: 'سبق التحقق من الهوية الوطنية لهذا الحساب.',
    hint: 'No action is needed.',
    hint_ar: 'لا حاجة إلى إجراء آخر.',
  },
  NATIONALID_REQUIRED: {
    status: 403,
    message: 'This operation needs a verified national id of the account owner.',
    message_ar: 'تتطلب هذه العملية التحقق من الهوية الوطنية لمالك الحساب.',
    hint: 'Start the identity verification in the account settings.',
    hint_ar: 'ابدأ التحقق من الهوية من إعدادات الحساب.',
  },
} as const satisfies ErrorFamily;
