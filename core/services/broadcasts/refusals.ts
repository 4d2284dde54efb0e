import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { BroadcastStatus } from '../../model/broadcasts/broadcast.js';
import { arabic } from '../../model/wording/wording.js';

export function unknownBroadcast(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the broadcast ${id}`, ar: `الحملة \`${id}\`` } });
}

export function invalidState(id: string, reason: Phrase): HatifError<'BROADCAST_INVALID_STATE'> {
  return new HatifError('BROADCAST_INVALID_STATE', { broadcast_id: id, reason });
}

const STATUS_AR: Readonly<Record<BroadcastStatus, string>> = {
  draft: 'مسودة',
  scheduled: 'مجدولة',
  running: 'قيد التنفيذ',
  paused: 'متوقفة مؤقتًا',
  completed: 'مكتملة',
  cancelled: 'ملغاة',
};
const STATUS_EN: Readonly<Record<BroadcastStatus, string>> = {
  draft: 'it is a draft',
  scheduled: 'it is scheduled',
  running: 'it is running',
  paused: 'it is paused',
  completed: 'it is completed',
  cancelled: 'it is cancelled',
};

export function isStatus(status: BroadcastStatus): Phrase {
  return { en: STATUS_EN[status], ar: `هي ${STATUS_AR[status]}` };
}

export const NOT_A_DRAFT: Phrase = {
  en: 'only a draft gets other recipients',
  ar: 'لا يتغير المستلمون إلا في مسودة',
};
export const OF_A_GROUP: Phrase = {
  en: 'its recipients are a contact group',
  ar: 'مستلموها مجموعة جهات اتصال',
};
export const NO_RECIPIENTS: Phrase = {
  en: 'it has no recipients: upload a file first',
  ar: 'لا مستلمين لها؛ ارفع ملفًا أولًا',
};
export const GROUP_DELETED: Phrase = {
  en: 'its contact group was deleted',
  ar: 'حُذفت مجموعة جهات الاتصال الخاصة بها',
};

/** What was right when the draft was made, and no longer is. @throws any other error than VALIDATION_ERROR */
export function notReady(id: string, error: unknown): HatifError<'BROADCAST_INVALID_STATE'> {
  const detail = error instanceof HatifError && error.code === 'VALIDATION_ERROR' ? error.details?.[0] : undefined;
  if (!detail) throw error;
  const { path, message, message_ar = message } = detail;
  return invalidState(id, { en: `${path} ${message}`, ar: arabic`${path} ${message_ar}` });
}
