import type { ErrorFamily } from './row.js';

export const CONFERENCE_ERRORS = {
  CONFERENCE_FULL: {
    status: 409,
    message: 'The conference already has {max} participants, its maximum.',
    message_ar: 'بلغ عدد المشاركين في المكالمة الجماعية {max}، وهو الحد الأقصى لها.',
    hint: 'Wait until a participant leaves, or start the conference with a higher max_participants.',
    hint_ar: 'انتظر حتى يغادر أحد المشاركين، أو ابدأ المكالمة الجماعية بقيمة أعلى في `max_participants`.',
  },
  CALL_ALREADY_IN_CONFERENCE: {
    status: 409,
    message: 'The call is already in the conference {conference_id}.',
    message_ar: 'المكالمة منضمة بالفعل إلى المكالمة الجماعية {conference_id}.',
    hint: 'Remove the participant from that conference first, or leave the call where it is.',
    hint_ar: 'أخرج المشارك من تلك المكالمة الجماعية أولًا، أو أبقِ المكالمة حيث هي.',
  },
  CONFERENCE_NOT_FOUND: {
    status: 404,
    message: 'No conference {conference_id} exists in this project, or it has no such participant.',
    message_ar: 'لا توجد في هذا المشروع مكالمة جماعية بالمعرّف {conference_id}، أو لا يوجد فيها هذا المشارك.',
    hint: 'Use ids from GET /v1/conferences and the participants listed there.',
    hint_ar: 'استخدم المعرّفات الواردة في `GET /v1/conferences` والمشاركين المذكورين فيها.',
  },
  CONFERENCE_ENDED: {
    status: 409,
    message: 'The conference {conference_id} has ended.',
    message_ar: 'انتهت المكالمة الجماعية {conference_id}.',
    hint: 'Start a new conference by joining a call to it by name.',
    hint_ar: 'لبدء مكالمة جماعية جديدة، ضُمّ مكالمة إلى اسم جديد في `name`.',
  },
  QUEUE_CONTROL_FAILED: {
    status: 502,
    message: 'The voice engine refused to carry out {action} on the queue.',
    message_ar: 'رفض محرّك الصوت تنفيذ الإجراء «{action}» في قائمة الانتظار.',
    hint: 'Read the members of the queue to see their current state, then try again.',
    hint_ar: 'اقرأ أعضاء قائمة الانتظار لمعرفة حالتهم الحالية ثم أعد المحاولة.',
  },
  QUEUE_SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The queue service cannot be reached at the moment.',
    message_ar: 'تعذّر الوصول إلى خدمة قوائم الانتظار في الوقت الحالي.',
    hint: 'Try again in a few seconds. GET /v1/health shows which part is missing.',
    hint_ar: 'أعد المحاولة بعد بضع ثوانٍ. يبيّن `GET /v1/health` الجزء المتعطل.',
  },
} as const satisfies ErrorFamily;
