import type { ErrorFamily } from './row.js';

export const BILLING_ERRORS = {
  SPEND_CAP_EXCEEDED: {
    status: 402,
    message: 'The spend cap of {cap_sar} SAR for this period has been reached.',
    message_ar: 'بلغ الإنفاق سقفه المحدد لهذه الفترة، وهو {cap_sar} ريال سعودي.',
    hint: 'Raise the spend cap of the project, or wait for the next period.',
    hint_ar: 'ارفع سقف إنفاق المشروع أو انتظر الفترة التالية.',
  },
  RATE_PLAN_NOT_FOUND: {
    status: 404,
    message: 'No rate plan named {rate_plan} exists.',
    message_ar: 'لا توجد خطة أسعار باسم {rate_plan}.',
    hint: 'Choose one of the rate plans that the operator has published.',
    hint_ar: 'اختر إحدى خطط الأسعار التي نشرها المشغّل.',
  },
  PAYMENT_FAILED: {
    status: 402,
    message: 'The payment was not accepted: {reason}.',
    message_ar: 'لم تُقبل عملية الدفع: {reason}.',
    hint: 'Nothing was charged. Use another card or ask your bank.',
    hint_ar: 'لم يُخصم أي مبلغ. استخدم بطاقة أخرى أو تواصل مع البنك.',
  },
  DUPLICATE_USAGE_EVENT: {
    status: 409,
    message: 'This usage was already recorded: {event_id}.',
    message_ar: 'سبق تسجيل هذا الاستخدام: {event_id}.',
    hint: 'No action is needed; the usage is counted once.',
    hint_ar: 'لا حاجة إلى إجراء آخر؛ فهو محتسب مرة واحدة.',
  },
  INVOICE_NOT_FOUND: {
    status: 404,
    message: 'No invoice with the id {id} exists in this organization.',
    message_ar: 'لا توجد في هذه المؤسسة فاتورة بالمعرّف {id}.',
    hint: 'List the invoices of the organization to find the right id.',
    hint_ar: 'اعرض قائمة فواتير المؤسسة للعثور على المعرّف الصحيح.',
  },
  INVOICE_SELLER_MISSING: {
    status: 409,
    message: 'The settings do not name the seller of invoices.',
    message_ar: 'لا تحدّد الإعدادات بيانات البائع في الفواتير.',
    hint: 'Set INVOICE_SELLER_NAME_AR, INVOICE_SELLER_NAME_EN, INVOICE_SELLER_VAT_NUMBER and INVOICE_SELLER_ADDRESS.',
    hint_ar:
      'حدّد قيم الإعدادات `INVOICE_SELLER_NAME_AR` و`INVOICE_SELLER_NAME_EN` و`INVOICE_SELLER_VAT_NUMBER` و`INVOICE_SELLER_ADDRESS`.',
  },
  PAYMENT_NOT_FOUND: {
    status: 404,
    message: 'No payment with the id {id} exists in this organization.',
    message_ar: 'لا توجد في هذه المؤسسة عملية دفع بالمعرّف {id}.',
    hint: 'List the payments of the organization to find the right id.',
    hint_ar: 'اعرض قائمة مدفوعات المؤسسة للعثور على المعرّف الصحيح.',
  },
  PAYMENT_AMOUNT_MISMATCH: {
    status: 422,
    message: 'The amount paid is {paid_sar} SAR, but {expected_sar} SAR was due.',
    message_ar: 'المبلغ المدفوع {paid_sar} ريال سعودي، في حين أن المستحق {expected_sar} ريال سعودي.',
    hint: 'Pay exactly the amount due. A payment with another amount is not booked.',
    hint_ar: 'ادفع المبلغ المستحق تمامًا؛ فالدفعة بمبلغ مختلف لا تُقيَّد.',
  },
  INSUFFICIENT_PROJECT_BALANCE: {
    status: 402,
    message: 'The project balance is only {available_sar} SAR, less than the amount to take back.',
    message_ar: 'رصيد المشروع {available_sar} ريال سعودي فقط، وهو أقل من المبلغ المطلوب استرجاعه.',
    hint: 'Take back at most the current balance of the project.',
    hint_ar: 'استرجع مبلغًا لا يتجاوز الرصيد الحالي للمشروع.',
  },
  INSUFFICIENT_POOL_BALANCE: {
    status: 402,
    message: 'The organization pool has only {available_sar} SAR, less than the amount to allocate.',
    message_ar: 'رصيد المؤسسة المشترك {available_sar} ريال سعودي فقط، وهو أقل من المبلغ المطلوب تخصيصه.',
    hint: 'Top up the pool, or allocate a smaller amount.',
    hint_ar: 'اشحن الرصيد المشترك أو خصّص مبلغًا أصغر.',
  },
  PROJECT_NOT_FOUND_FOR_ALLOCATION: {
    status: 404,
    message: 'There is no project with the id {project_id} that balance could be allocated to.',
    message_ar: 'لا يوجد مشروع بالمعرّف {project_id} يمكن تخصيص رصيد له.',
    hint: 'Allocate to the project of the API key.',
    hint_ar: 'خصّص الرصيد للمشروع الذي يتبعه مفتاح API.',
  },
} as const satisfies ErrorFamily;
