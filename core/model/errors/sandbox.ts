import type { ErrorFamily } from './row.js';

export const SANDBOX_ERRORS = {
  SANDBOX_EXPIRED: {
    status: 403,
    message: 'The sandbox trial of this project ended at {expired_at}.',
    message_ar: 'انتهت الفترة التجريبية لهذا المشروع في {expired_at}.',
    hint: 'Request production access, or have the operator extend the trial.',
    hint_ar: 'اطلب الوصول إلى بيئة الإنتاج، أو اطلب من المشغّل تمديد الفترة التجريبية.',
  },
  SANDBOX_INVALID_QUEUE: {
    status: 400,
    message: 'The queue named in the request does not exist in the sandbox.',
    message_ar: 'قائمة الانتظار المذكورة في الطلب غير موجودة في البيئة التجريبية.',
    hint: 'Name a queue that GET /v1/queues lists for your sandbox key, or leave the queue out.',
    hint_ar: 'اذكر قائمة انتظار تظهر في `GET /v1/queues` لمفتاح البيئة التجريبية، أو أرسل الطلب بلا قائمة انتظار.',
  },
  SANDBOX_QUEUE_UNAVAILABLE: {
    status: 503,
    message: 'The queue cannot take a sandbox callback now: no agent is signed in to it.',
    message_ar: 'لا يمكن إضافة معاودة اتصال تجريبية إلى قائمة الانتظار الآن: لا يوجد موظف مسجّل الدخول إليها.',
    hint: 'Sign an agent in to the queue, or leave the X-Simulate header out if it asked for this failure.',
    hint_ar: 'سجّل دخول موظف إلى قائمة الانتظار، أو احذف ترويسة `X-Simulate` إن كانت هي التي طلبت هذا الخطأ.',
  },
  SANDBOX_SIMULATED_SERVER_ERROR: {
    status: 500,
    message: 'The sandbox simulated a server error, as requested by the destination or the X-Simulate header.',
    message_ar: 'حاكت البيئة التجريبية خطأً في الخادم بناءً على رقم الوجهة أو ترويسة `X-Simulate`.',
    hint: 'Nothing is broken. Use it to test how your application handles errors, then use another test number.',
    hint_ar: 'لا يوجد عطل فعلي. استفد منه في اختبار معالجة تطبيقك للأخطاء ثم استخدم رقم اختبار آخر.',
  },
  SANDBOX_DESTINATION_NOT_ALLOWED: {
    status: 403,
    message: 'A sandbox key may call only the sandbox test numbers and the verified number of the account owner.',
    message_ar: 'لا يتيح مفتاح البيئة التجريبية الاتصال إلا بأرقام الاختبار وبالرقم الموثّق لمالك الحساب.',
    hint: 'Call +966500000001 (answered), +966500000002 (missed) or another documented test number.',
    hint_ar:
      'اتصل بالرقم `+966500000001` (يُرَدّ على المكالمة) أو `+966500000002` (لا يُرَدّ عليها)، أو برقم اختبار آخر مذكور في مرجع API.',
  },
  SANDBOX_MINUTES_EXCEEDED: {
    status: 403,
    message: 'The sandbox trial has used up its {minutes:minute}.',
    message_ar: 'استُنفدت دقائق الفترة التجريبية ({minutes:minute}).',
    hint: 'Request production access, or have the operator grant more trial minutes.',
    hint_ar: 'اطلب الوصول إلى بيئة الإنتاج، أو اطلب من المشغّل دقائق تجريبية إضافية.',
  },
} as const satisfies ErrorFamily;
