/** Exports and erasures of personal data, and the ends of organizations. */
export const PRIVACY_ERRORS = {
  PRIVACY_REQUEST_LIMIT_EXCEEDED: {
    status: 409,
    message: 'The organization already has {max} {what} whose work or archive is not over.',
    message_ar: 'بلغ عدد طلبات {what} التي لم تنتهِ أو لم يُحذف ملفها في المؤسسة الحد الأقصى، وهو {max}.',
    hint: 'Wait until requests are completed and their archives have expired.',
    hint_ar: 'انتظر حتى تكتمل الطلبات وتنتهي صلاحية ملفاتها.',
  },
  ARCHIVE_NOT_READY: {
    status: 409,
    message: 'The archive is still being written.',
    message_ar: 'ما زال إعداد الملف جاريًا.',
    hint: 'Read the request until its status is completed, then download the archive.',
    hint_ar: 'اقرأ الطلب إلى أن تصبح حالته `completed` ثم نزّل الملف.',
  },
  ARCHIVE_EXPIRED: {
    status: 410,
    message: 'The archive has expired and was deleted.',
    message_ar: 'انتهت صلاحية الملف وحُذف.',
    hint: 'Request another export. What was deleted since is not in it.',
    hint_ar: 'اطلب تصديرًا جديدًا؛ ولن يتضمن ما حُذف منذ ذلك الحين.',
  },
  ORGANIZATION_ENDED: {
    status: 409,
    message: 'The organization {organization_id} is being deleted and cannot be changed.',
    message_ar: 'يجري حذف المؤسسة {organization_id}، ولذلك لا يمكن تعديلها.',
    hint: 'A deletion cannot be taken back. Create another organization.',
    hint_ar: 'لا يمكن التراجع عن الحذف. أنشئ مؤسسة أخرى.',
  },
} as const;
