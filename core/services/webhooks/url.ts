import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { OutboundHttp, PostFailure, UrlProblem } from '../../ports/outbound-http.js';

/** Why a URL is refused without connecting. */
export const URL_PROBLEMS: Readonly<Record<UrlProblem, Phrase>> = {
  malformed: {
    en: 'it is not an absolute URL of at most 2,048 characters without user name, password and fragment',
    ar: 'يجب أن يكون رابطًا كاملًا لا يتجاوز 2048 حرفًا، وبلا اسم مستخدم أو كلمة مرور أو جزء بعد `#`',
  },
  not_https: { en: 'only https is allowed', ar: 'لا يُسمح إلا ببروتوكول https' },
  forbidden_address: {
    en: 'its address is not public',
    ar: 'يشير إلى عنوان غير عام',
  },
};

export const UNREACHABLE_REASONS: Readonly<Record<Exclude<PostFailure, UrlProblem>, Phrase>> = {
  unknown_host: { en: 'its host name has no address', ar: 'لا يوجد عنوان لاسم المضيف' },
  connection_refused: { en: 'the connection was refused', ar: 'رُفض الاتصال' },
  connection_lost: { en: 'the connection was lost', ar: 'انقطع الاتصال' },
  tls_error: { en: 'its TLS certificate is not valid for this host', ar: 'شهادة TLS الخاصة به غير صالحة' },
  no_tls: {
    en: 'its port does not speak TLS; use a port that serves https',
    ar: 'المنفذ لا يدعم TLS؛ استخدم منفذًا يقدّم https',
  },
  timeout: { en: 'it did not answer in time', ar: 'لم يستجب في الوقت المحدد' },
  bad_response: { en: 'its response was not valid HTTP', ar: 'لم تكن استجابته بصيغة HTTP' },
};

/** The error for a rejected URL. */
export function urlInvalid(problem: UrlProblem): HatifError<'WEBHOOK_URL_INVALID'> {
  return new HatifError('WEBHOOK_URL_INVALID', { reason: URL_PROBLEMS[problem] });
}

/**
 * Rejects a receiver's URL that can be rejected without connecting; the other checks happen at connection time.
 * @throws HatifError WEBHOOK_URL_INVALID
 */
export function assertWebhookUrl(http: OutboundHttp, url: string): void {
  const problem = http.problemOf(url);
  if (problem) throw urlInvalid(problem);
}

/** Whether two valid URLs are equal after normalization. */
export function isSameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}
