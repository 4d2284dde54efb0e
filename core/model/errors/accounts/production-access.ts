export const PRODUCTION_ACCESS_ERRORS = {
  PRODUCTION_TIER_REQUIRED: {
    status: 403,
    message: 'This feature needs a production account; this organization is still a sandbox account.',
    message_ar: 'تتطلب هذه الميزة حساب إنتاج، وهذه المؤسسة لا تزال حسابًا تجريبيًّا.',
    hint: 'Request production access for the organization.',
    hint_ar: 'اطلب للمؤسسة الوصول إلى بيئة الإنتاج.',
  },
  PRODUCTION_ACCESS_ALREADY_REQUESTED: {
    status: 409,
    message: 'Production access was already requested for this organization and is being reviewed.',
    message_ar: 'سبق طلب الوصول إلى بيئة الإنتاج لهذه المؤسسة، والطلب قيد المراجعة.',
    hint: 'Wait for the decision. You will be notified by e-mail.',
    hint_ar: 'انتظر القرار؛ فستُبلَّغ به عبر البريد الإلكتروني.',
  },
  PRODUCTION_REQUEST_EXISTS: {
    status: 409,
    message: 'An open request for production access already exists: {request}.',
    message_ar: 'يوجد طلب مفتوح للوصول إلى بيئة الإنتاج: {request}.',
    hint: 'Change or withdraw the open request instead of creating another.',
    hint_ar: 'عدّل الطلب المفتوح أو اسحبه بدلًا من إنشاء طلب آخر.',
  },
  PRODUCTION_REQUEST_NOT_FOUND: {
    status: 404,
    message: 'No request for production access with the id {id} exists.',
    message_ar: 'لا يوجد طلب وصول إلى بيئة الإنتاج بالمعرّف {id}.',
    hint: 'List the requests of the organization to find the right id.',
    hint_ar: 'اعرض طلبات المؤسسة للعثور على المعرّف الصحيح.',
  },
  PRODUCTION_REQUEST_INVALID_STATE: {
    status: 409,
    message: 'The request for production access cannot take this step: its status is {status}.',
    message_ar: 'لا يمكن تنفيذ هذه الخطوة على طلب الوصول إلى بيئة الإنتاج: حالته {status}.',
    hint: 'Only an open request can be approved, rejected or withdrawn.',
    hint_ar: 'لا تُقبل الموافقة أو الرفض أو السحب إلا لطلب مفتوح.',
  },
} as const;
