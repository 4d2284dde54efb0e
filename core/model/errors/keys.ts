import type { ErrorFamily } from './row.js';

export const KEY_ERRORS = {
  INVALID_API_KEY: {
    status: 401,
    message: 'The request carries no valid API key: {problem}.',
    message_ar: 'لا يحمل الطلب مفتاح API صالحًا: {problem}.',
    hint: 'Send the header "Authorization: Bearer <API_KEY>" with a key that starts with sk_sandbox_ or sk_live_, copied whole.',
    hint_ar: 'أرسل الترويسة `Authorization: Bearer <API_KEY>` بمفتاح كامل يبدأ بـ `sk_sandbox_` أو `sk_live_`.',
  },
  EXPIRED_API_KEY: {
    status: 401,
    message: 'This API key expired at {expired_at}.',
    message_ar: 'انتهت صلاحية مفتاح API هذا في {expired_at}.',
    hint: 'Create a new key for the project and replace the expired one in your application.',
    hint_ar: 'أنشئ مفتاحًا جديدًا للمشروع واستبدل به المفتاح المنتهي في تطبيقك.',
  },
  REVOKED_API_KEY: {
    status: 401,
    message: 'This API key was revoked and can no longer be used.',
    message_ar: 'أُلغي مفتاح API هذا ولم يعد استخدامه ممكنًا.',
    hint: 'Use another key of the project or create a new one. A revoked key cannot be restored.',
    hint_ar: 'استخدم مفتاحًا آخر للمشروع أو أنشئ مفتاحًا جديدًا؛ فالمفتاح الملغى لا يمكن استعادته.',
  },
  SANDBOX_KEY_NOT_ALLOWED: {
    status: 403,
    message: 'This operation works in production only, but the request was made with a sandbox key or in sandbox mode.',
    message_ar: 'لا تعمل هذه العملية إلا في بيئة الإنتاج، لكن الطلب أُرسل بمفتاح البيئة التجريبية أو في وضعها.',
    hint: 'Repeat the request with a key that starts with sk_live_, or with X-Hatif-Mode: live. Request production access if you have none yet.',
    hint_ar:
      'أعد الطلب بمفتاح يبدأ بـ `sk_live_` أو مع `X-Hatif-Mode: live`، واطلب الوصول إلى بيئة الإنتاج إن لم يكن متاحًا لك بعد.',
  },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    message: 'The API key or session lacks a permission that this request needs: {permission}.',
    message_ar: 'لا يملك مفتاح API أو الجلسة صلاحيةً يحتاج إليها هذا الطلب: {permission}.',
    hint: 'Use a key that has the named permission, or have an administrator of the organization grant it.',
    hint_ar: 'استخدم مفتاحًا يملك الصلاحية المذكورة، أو اطلب من مسؤول المؤسسة منحها.',
  },
  API_KEY_REVEAL_UNAVAILABLE: {
    status: 410,
    message: 'The secret of this API key can no longer be revealed.',
    message_ar: 'لم يعد ممكنًا إظهار القيمة السرية لمفتاح API هذا.',
    hint: 'A secret can be revealed only for the time that the organization allows. Create a new key if it is lost.',
    hint_ar: 'لا يمكن إظهار القيمة السرية إلا خلال المدة التي تسمح بها المؤسسة. أنشئ مفتاحًا جديدًا إن فقدتها.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    message: 'No API key with the id {key_id} exists in this project.',
    message_ar: 'لا يوجد في هذا المشروع مفتاح API بالمعرّف {key_id}.',
    hint: 'List the keys of the project to find the right id.',
    hint_ar: 'اعرض قائمة مفاتيح المشروع للعثور على المعرّف الصحيح.',
  },
  API_KEY_REVEAL_FORBIDDEN: {
    status: 403,
    message: 'The secret of this API key is not revealed to you: {reason}.',
    message_ar: 'لا تُظهَر لك القيمة السرية لمفتاح API هذا: {reason}.',
    hint: 'Owners and admins who just confirmed that it is them can reveal a secret if the organization allows it (key_reveal).',
    hint_ar: 'يستطيع المالك والمدير إظهار القيمة السرية بعد تأكيد هويتهما إن سمحت المؤسسة بذلك (`key_reveal`).',
  },
  INVALID_SCOPE: {
    status: 400,
    message: 'There is no scope named {scope}.',
    message_ar: 'لا يوجد نطاق صلاحية باسم {scope}.',
    hint: 'Use only scopes from the API reference, such as calls:read or queues:write.',
    hint_ar: 'استخدم نطاقات الصلاحية الواردة في مرجع API فقط، مثل `calls:read` أو `queues:write`.',
  },
  EMAIL_NOT_CONFIRMED: {
    status: 403,
    message: 'This operation needs a confirmed e-mail address of yours.',
    message_ar: 'تتطلب هذه العملية تأكيد عنوان بريدك الإلكتروني.',
    hint: 'Open the link in the mail that confirms the address, or have it sent again.',
    hint_ar: 'افتح الرابط الوارد في رسالة تأكيد العنوان، أو اطلب إرسالها من جديد.',
  },
} as const satisfies ErrorFamily;
