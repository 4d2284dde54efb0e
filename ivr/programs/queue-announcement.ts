import { spokenCount, spokenNumber, spokenOrdinal, type SpokenLanguage } from '../../core/model/spoken/index.js';
import type { WaitStatus } from '../../core/services/live-calls/queues/queue-call-bridge.js';

const MINUTE_MS = 60_000;

/** The announcement of position and expected wait, in both languages. */
export function positionAnnouncement({
  position,
  expectedWaitMs,
}: WaitStatus): Readonly<Record<SpokenLanguage, string>> {
  const minutes = expectedWaitMs === null ? null : Math.max(1, Math.ceil(expectedWaitMs / MINUTE_MS));
  return {
    ar: [
      `ترتيبك في قائمة الانتظار هو ${spokenOrdinal(position, 'ar')}.`,
      ...(minutes === null ? [] : [`مدة الانتظار المتوقعة نحو ${spokenCount(minutes, 'minute', 'ar', 'oblique')}.`]),
    ].join(' '),
    en: [
      `You are number ${spokenNumber(position, 'en')} in the queue.`,
      ...(minutes === null ? [] : [`The expected wait is about ${spokenCount(minutes, 'minute', 'en')}.`]),
    ].join(' '),
  };
}
