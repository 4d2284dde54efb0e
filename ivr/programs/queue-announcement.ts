import type { Standing } from '../../core/services/queues/floor.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';

const MINUTE_MS = 60_000;

/** What a caller who waits is told, in both languages. */
export function positionAnnouncement({ position, expectedWaitMs }: Standing): Readonly<Record<SpeechLanguage, string>> {
  const minutes = expectedWaitMs === null ? null : Math.ceil(expectedWaitMs / MINUTE_MS);
  return {
    ar: [
      `رقمك في قائمة الانتظار ${position}.`,
      ...(minutes === null ? [] : [`مدة الانتظار المتوقعة نحو ${arabicMinutes(minutes)}.`]),
    ].join(' '),
    en: [
      `You are number ${position} in the queue.`,
      ...(minutes === null
        ? []
        : [`The expected wait is about ${minutes === 1 ? 'one minute' : `${minutes} minutes`}.`]),
    ].join(' '),
  };
}

/** One, two, a few and many have forms of their own. */
function arabicMinutes(minutes: number): string {
  if (minutes <= 1) return 'دقيقة واحدة';
  if (minutes === 2) return 'دقيقتين';
  return minutes <= 10 ? `${minutes} دقائق` : `${minutes} دقيقة`;
}
