import type { Text } from './texts.js';

/** Why a call ended. */
export type CauseCode =
  | 'hangup'
  | 'cancelled'
  | 'answered_elsewhere'
  | 'rejected'
  | 'busy'
  | 'no_answer'
  | 'unavailable'
  | 'not_found'
  | 'not_allowed'
  | 'media_failed'
  | 'microphone'
  | 'connection_lost'
  | 'failed';

export interface DisconnectCause extends Pick<Text, 'message' | 'messageAr'> {
  readonly code: CauseCode;
  /** Who ended the call: this side, the remote side, or the network. */
  readonly by: 'local' | 'remote' | 'system';
  /** The SIP status of a call that was not answered. */
  readonly status: number | null;
}

/** How the SIP stack reports an end. */
export interface SipEnd {
  readonly cause: string;
  readonly originator: string;
  readonly status: number | null;
  /** The header `Reason` of the request that ended the call. */
  readonly reason: string | null;
}

const TEXTS: Readonly<Record<CauseCode, readonly [en: string, ar: string]>> = {
  hangup: ['The call ended.', 'انتهت المكالمة.'],
  cancelled: ['The call was cancelled.', 'أُلغيت المكالمة.'],
  answered_elsewhere: ['The call was answered elsewhere.', 'تم الرد على المكالمة من جهاز آخر.'],
  rejected: ['The call was rejected.', 'رُفضت المكالمة.'],
  busy: ['The line is busy.', 'الخط مشغول.'],
  no_answer: ['Nobody answered.', 'لم يتم الرد.'],
  unavailable: ['Nobody can be reached there now.', 'لا يمكن الوصول إلى هذه الوجهة الآن.'],
  not_found: ['This destination does not exist.', 'هذه الوجهة غير موجودة.'],
  not_allowed: ['This call is not allowed.', 'هذه المكالمة غير مسموح بها.'],
  media_failed: ['No audio connection was possible.', 'تعذّر إنشاء اتصال صوتي.'],
  microphone: ['The microphone could not be used.', 'تعذّر استخدام الميكروفون.'],
  connection_lost: ['The connection to the platform was lost.', 'انقطع الاتصال بالمنصة.'],
  failed: ['The call failed.', 'تعذّر إجراء المكالمة.'],
};

const BY_STATUS: Readonly<Record<number, CauseCode>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'not_found',
  407: 'not_allowed',
  408: 'no_answer',
  410: 'not_found',
  480: 'unavailable',
  484: 'not_found',
  486: 'busy',
  487: 'cancelled',
  488: 'media_failed',
  503: 'unavailable',
  600: 'busy',
  603: 'rejected',
  604: 'not_found',
  606: 'media_failed',
};

const BY_CAUSE: Readonly<Record<string, CauseCode>> = {
  Terminated: 'hangup',
  Canceled: 'cancelled',
  Rejected: 'rejected',
  Busy: 'busy',
  'No Answer': 'no_answer',
  Expires: 'no_answer',
  'No ACK': 'connection_lost',
  'Connection Error': 'connection_lost',
  'Request Timeout': 'connection_lost',
  'Dialog Error': 'connection_lost',
  'RTP Timeout': 'media_failed',
  'WebRTC Error': 'media_failed',
  'Bad Media Description': 'media_failed',
  'Incompatible SDP': 'media_failed',
  'User Denied Media Access': 'microphone',
};

export function causeOf({ cause, originator, status, reason }: SipEnd): DisconnectCause {
  const by = originator === 'local' || originator === 'remote' ? originator : 'system';
  const isElsewhere = by === 'remote' && reason !== null && /cause\s*=\s*(26|200)\b/i.test(reason);
  // A failed call that this side ended has no status of the other side's.
  const known = by === 'remote' && status !== null ? BY_STATUS[status] : undefined;
  return causeNamed(isElsewhere ? 'answered_elsewhere' : (known ?? BY_CAUSE[cause] ?? 'failed'), by, status);
}

export function causeNamed(code: CauseCode, by: DisconnectCause['by'], status: number | null): DisconnectCause {
  const [message, messageAr] = TEXTS[code];
  return { code, by, status, message, messageAr };
}
