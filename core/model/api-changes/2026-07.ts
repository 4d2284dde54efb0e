import type { ApiChange } from './api-change.js';

export const JULY_2026: readonly ApiChange[] = [
  {
    date: '2026-07-31',
    text: 'authentication menu in call flows; `call.input`',
    text_ar: 'القائمة الصوتية للمصادقة في مسارات المكالمات؛ و`call.input`',
  },
  {
    date: '2026-07-24',
    text: 'call recording download link (production keys)',
    text_ar: 'رابط تنزيل تسجيل المكالمة (مفاتيح بيئة الإنتاج)',
  },
  { date: '2026-07-09', text: 'scoped API keys', text_ar: 'مفاتيح API بنطاقات صلاحية' },
  {
    date: '2026-07-01',
    text: 'callback list, read, cancel; sandbox call lifecycle simulation',
    text_ar: 'عرض طلبات معاودة الاتصال وقراءتها وإلغاؤها؛ ومحاكاة دورة حياة المكالمة في البيئة التجريبية',
  },
];
