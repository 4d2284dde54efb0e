import type { ErrorFamily } from './row.js';

export const VOICEMAIL_ERRORS = {
  VOICEMAIL_DISABLED: {
    status: 503,
    message: 'Voicemail is switched off in this environment.',
    message_ar: 'البريد الصوتي معطّل في هذه البيئة.',
    hint: 'Ask the operator to switch on voicemail.',
    hint_ar: 'اطلب من المشغّل تفعيل البريد الصوتي.',
  },
  VOICEMAIL_NOT_FOUND: {
    status: 404,
    message: 'No voicemail with the id {id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع رسالة صوتية بالمعرّف {id}.',
    hint: 'List the messages with GET /v1/voicemails. A deleted message cannot be restored.',
    hint_ar: 'اعرض الرسائل عبر `GET /v1/voicemails`. الرسالة المحذوفة لا تُستعاد.',
  },
  VOICEMAIL_RECORDING_NOT_FOUND: {
    status: 404,
    message: 'The voicemail {id} has no recording.',
    message_ar: 'لا يوجد تسجيل للرسالة الصوتية {id}.',
    hint: 'Look at recording_available. It is false until the recording is stored and after it is deleted.',
    hint_ar: 'انظر إلى `recording_available`؛ قيمته `false` إلى أن يُخزَّن التسجيل وبعد حذفه.',
  },
  VOICEMAIL_SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The voicemail store cannot be reached at the moment.',
    message_ar: 'تعذّر الوصول إلى مخزن البريد الصوتي في الوقت الحالي.',
    hint: 'Try again in a few seconds. Messages are kept.',
    hint_ar: 'أعد المحاولة بعد بضع ثوانٍ؛ فالرسائل محفوظة.',
  },
  VOICEMAIL_GREETING_INVALID: {
    status: 400,
    message: 'The voicemail greeting cannot be used: {reason}.',
    message_ar: 'لا يمكن استخدام رسالة الترحيب للبريد الصوتي: {reason}.',
    hint: 'Provide exactly one of text, audio_id or audio_url; audio must be WAV or MP3 of at most 10 MB.',
    hint_ar:
      'أرسل قيمة واحدة فقط من `text` أو `audio_id` أو `audio_url`، على أن يكون الصوت بصيغة WAV أو MP3 ولا يتجاوز 10 ميغابايت.',
  },
} as const satisfies ErrorFamily;
