export const RESERVED_KEY_ERRORS = {
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
    message: 'Your role in the organization may not reveal the secrets of API keys.',
    message_ar: 'لا يسمح دورك في المؤسسة بإظهار القيم السرية لمفاتيح API.',
    hint: 'Ask an owner of the organization to reveal the key or to change the roles that may do so.',
    hint_ar: 'اطلب من أحد مالكي المؤسسة إظهار المفتاح أو تعديل الأدوار المسموح لها بذلك.',
  },
  INVALID_SCOPE: {
    status: 400,
    message: 'There is no scope named {scope}.',
    message_ar: 'لا يوجد نطاق صلاحية باسم {scope}.',
    hint: 'Use only scopes from the API reference, such as calls:read or queues:write.',
    hint_ar: 'استخدم نطاقات الصلاحية الواردة في مرجع API فقط، مثل `calls:read` أو `queues:write`.',
  },
} as const;
