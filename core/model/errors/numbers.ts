import type { ErrorFamily } from './row.js';

export const NUMBER_ERRORS = {
  NUMBER_NOT_AVAILABLE: {
    status: 409,
    message: 'No number is available for this request: {wanted}.',
    message_ar: 'لا يتوفر رقم لهذا الطلب: {wanted}.',
    hint: 'Choose another number or prefix from those on offer. If none is on offer, ask the operator, who imports ranges of numbers.',
    hint_ar:
      'اختر رقمًا آخر أو بادئة أخرى من الأرقام المعروضة. وإذا لم يُعرض أي رقم فاطلب من المشغّل استيراد نطاقات الأرقام.',
  },
  NUMBER_NOT_FOUND: {
    status: 404,
    message: 'No number with the id {id} exists in this project.',
    message_ar: 'لا يوجد في هذا المشروع رقم بالمعرّف {id}.',
    hint: 'List the numbers of the project to find the right id.',
    hint_ar: 'اعرض قائمة أرقام المشروع للعثور على المعرّف الصحيح.',
  },
  NUMBER_ALREADY_ASSIGNED: {
    status: 409,
    message: 'The number {number} is already assigned.',
    message_ar: 'الرقم {number} مخصّص بالفعل.',
    hint: 'Release the number where it is used, or choose another.',
    hint_ar: 'ألغِ ربط الرقم بوجهته الحالية أو اختر رقمًا آخر.',
  },
  BLOCKED_CALLER_LIMIT_EXCEEDED: {
    status: 409,
    message: 'The block list has {max} entries, the maximum allowed.',
    message_ar: 'تضم قائمة الحظر {max} من الإدخالات، وهو الحد الأقصى المسموح به.',
    hint: 'Remove entries that are no longer needed, or block the numbers by their common prefix.',
    hint_ar: 'أزل الإدخالات التي لم تعد لازمة، أو احظر الأرقام ببادئتها المشتركة.',
  },
  ALLOWED_CALLER_LIMIT_EXCEEDED: {
    status: 409,
    message: 'The allow list has {max} entries, the maximum allowed.',
    message_ar: 'تضم قائمة السماح {max} من الإدخالات، وهو الحد الأقصى المسموح به.',
    hint: 'Remove entries that are no longer needed, or allow the numbers by their common prefix.',
    hint_ar: 'أزل الإدخالات التي لم تعد لازمة، أو أضف الأرقام ببادئتها المشتركة.',
  },
  NUMBER_PROVIDER_ERROR: {
    status: 502,
    message: 'The number provider failed or refused the request: {reason}.',
    message_ar: 'حدث خطأ لدى مزوّد الأرقام أو رفض الطلب: {reason}.',
    hint: 'Try again later. Nothing was ordered or charged.',
    hint_ar: 'أعد المحاولة لاحقًا. لم يُطلب أي رقم ولم تُحتسب أي رسوم.',
  },
  PORTING_INVALID_STATE: {
    status: 409,
    message: 'The porting request cannot take this step: its status is {status}.',
    message_ar: 'لا يمكن تنفيذ هذه الخطوة على طلب نقل الرقم: حالته {status}.',
    hint: 'Read the porting request to see which steps are open.',
    hint_ar: 'اقرأ طلب النقل لمعرفة الخطوات المتاحة.',
  },
  PORTING_NOT_FOUND: {
    status: 404,
    message: 'No porting request with the id {id} exists in this organization.',
    message_ar: 'لا يوجد في هذه المؤسسة طلب نقل رقم بالمعرّف {id}.',
    hint: 'List the porting requests to find the right id.',
    hint_ar: 'اعرض قائمة طلبات النقل للعثور على المعرّف الصحيح.',
  },
  OWN_DID_NUMBER_REQUIRED: {
    status: 400,
    message: 'This project brings its own number, but none was named.',
    message_ar: 'يستخدم هذا المشروع رقمه الخاص، لكن لم يُذكر أي رقم.',
    hint: 'Name the number that your carrier delivers to this platform.',
    hint_ar: 'اذكر الرقم الذي توصله شركة الاتصالات إلى هذه المنصة.',
  },
  OWN_DID_NUMBER_NOT_AUTHORIZED: {
    status: 403,
    message: 'Your organization has not proven its right to use the number {number}.',
    message_ar: 'لم تثبت مؤسستك حقها في استخدام الرقم {number}.',
    hint: 'Send the proof of ownership, or verify the number by a phone call.',
    hint_ar: 'أرسل إثبات الملكية، أو وثّق الرقم بمكالمة إليه.',
  },
  OWN_DID_NUMBER_UNAVAILABLE: {
    status: 409,
    message: 'The number {number} is already used by another organization.',
    message_ar: 'الرقم {number} مستخدم لدى مؤسسة أخرى.',
    hint: 'Check the number. If it is yours, ask the operator to move it.',
    hint_ar: 'تحقق من الرقم. وإن كان لك فاطلب من المشغّل نقله إليك.',
  },
} as const satisfies ErrorFamily;
