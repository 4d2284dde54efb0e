import type { ErrorFamily } from './row.js';

export const RECORDING_ERRORS = {
  RECORDING_NOT_FOUND: {
    status: 404,
    message: 'The call {call_id} has no recording.',
    message_ar: 'لا يوجد تسجيل للمكالمة {call_id}.',
    hint: 'A recording exists only for recorded calls, from the event call.recording_ready until it is deleted.',
    hint_ar: 'لا يتوفر التسجيل إلا للمكالمات المسجّلة بعد إرسال الحدث `call.recording_ready` وإلى أن يُحذف.',
  },
  RECORDING_URL_EXPIRED: {
    status: 410,
    message: 'This download link for a recording has expired.',
    message_ar: 'انتهت صلاحية رابط تنزيل التسجيل هذا.',
    hint: 'Request a new link. Links work for 10 minutes.',
    hint_ar: 'اطلب رابطًا جديدًا؛ فالروابط صالحة لمدة 10 دقائق.',
  },
  RECORDING_URL_INVALID: {
    status: 404,
    message: 'This download link for a recording was altered or is incomplete.',
    message_ar: 'رابط تنزيل التسجيل هذا معدَّل أو غير مكتمل.',
    hint: 'Use the link exactly as the API returned it, with the whole query string, or request a new one.',
    hint_ar: 'استخدم الرابط كما أرجعته الواجهة البرمجية تمامًا مع كل معاملات الاستعلام، أو اطلب رابطًا جديدًا.',
  },
  RECORDING_SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The recording storage cannot be reached at the moment.',
    message_ar: 'تعذّر الوصول إلى مخزن التسجيلات في الوقت الحالي.',
    hint: 'Try again in a few seconds. The recording itself is kept.',
    hint_ar: 'أعد المحاولة بعد بضع ثوانٍ؛ فالتسجيل نفسه محفوظ.',
  },
  CALLFLOW_AUDIO_SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The audio file cannot be converted or stored at the moment.',
    message_ar: 'تعذّر تحويل الملف الصوتي أو تخزينه في الوقت الحالي.',
    hint: 'Upload the file again in a few seconds.',
    hint_ar: 'أعد رفع الملف بعد بضع ثوانٍ.',
  },
  AUDIO_QUOTA_EXCEEDED: {
    status: 409,
    message: 'The audio files of this project would take more than the {quota_mb} MB that it may store.',
    message_ar: 'تتجاوز الملفات الصوتية في هذا المشروع مع هذا الملف مساحة التخزين المسموح بها ({quota_mb} ميغابايت).',
    hint: 'Delete audio files that are no longer needed. A minute of audio takes about 2.9 MB, whatever the format of the upload.',
    hint_ar:
      'احذف الملفات الصوتية التي لم تعد لازمة. تشغل الدقيقة الواحدة نحو 2.9 ميغابايت أيًّا كانت صيغة الملف المرفوع.',
  },
  CALLFLOW_VERSION_CONFLICT: {
    status: 409,
    message:
      'The call flow was changed in the meantime: version {sent_version} was sent, but the current one is {current_version}.',
    message_ar:
      'عُدّل مسار المكالمات في هذه الأثناء: أُرسل الإصدار {sent_version} بينما الإصدار الحالي هو {current_version}.',
    hint: 'Read the call flow again, apply your change to it and send it with the current version.',
    hint_ar: 'اقرأ مسار المكالمات من جديد وطبّق تعديلك عليه ثم أرسله برقم الإصدار الحالي.',
  },
  CALLFLOW_TENANT_NOT_FOUND: {
    status: 404,
    message: 'Your organization has no tenant on any voice engine, so no call flow can run.',
    message_ar: 'لم تُهيَّأ مؤسستك على أي محرّك صوت، ولذلك لا يمكن تشغيل أي مسار مكالمات.',
    hint: 'Ask the operator to provision the organization on an engine.',
    hint_ar: 'اطلب من المشغّل تهيئة المؤسسة على أحد المحرّكات.',
  },
  IVR_DISABLED: {
    status: 503,
    message: 'Call flows of this kind are switched off in this environment.',
    message_ar: 'مسارات المكالمات من هذا النوع معطّلة في هذه البيئة.',
    hint: 'Ask the operator to switch on call flows or graph call flows.',
    hint_ar: 'اطلب من المشغّل تفعيل مسارات المكالمات أو مسارات المكالمات المتفرعة (graph).',
  },
} as const satisfies ErrorFamily;
