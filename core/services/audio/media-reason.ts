import type { Phrase } from '../../model/errors/index.js';
import type { MediaError, MediaProblem } from '../../ports/media-store.js';

const ARABIC: Readonly<Record<MediaProblem, string>> = {
  not_https: 'الرابط ليس رابط https سليمًا',
  private_address: 'العنوان ليس عنوانًا عامًّا على الإنترنت',
  unreachable: 'تعذّر الوصول إلى العنوان',
  bad_status: 'لم يُرجع العنوان الملف',
  too_large: 'الملف أكبر أو أطول من المسموح به',
  not_audio: 'الملف ليس ملف WAV أو MP3 سليمًا',
  empty: 'الملف لا يحتوي على صوت',
  unavailable: 'تعذّر تحويل الملف الصوتي أو تخزينه الآن',
};

/** Why the platform rejected an audio file, in the API's two languages. */
export function mediaReason(error: MediaError): Phrase {
  return { en: error.message, ar: ARABIC[error.problem] };
}
