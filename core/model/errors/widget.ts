import type { ErrorFamily } from './row.js';

export const WIDGET_ERRORS = {
  WIDGET_ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: 'The call widget may not be used on {origin}.',
    message_ar: 'لا يُسمح باستخدام أداة الاتصال على {origin}.',
    hint: 'Add the web address to the allowed origins of the widget in the project settings.',
    hint_ar: 'أضف عنوان الموقع إلى النطاقات المسموح بها للأداة في إعدادات المشروع.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: 'Requests from web pages on {origin} are not allowed.',
    message_ar: 'الطلبات الواردة من صفحات {origin} غير مسموح بها.',
    hint: 'Call the API from your server, or have the origin added to the allowed browser origins.',
    hint_ar: 'استدعِ API من خادمك، أو اطلب إضافة النطاق إلى النطاقات المسموح بها للمتصفحات.',
  },
} as const satisfies ErrorFamily;
