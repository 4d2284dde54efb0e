import { isToken } from '../../model/access/tokens.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';

/** None of them helps to guess a key: a checksum that does not match can be computed without asking. */
const PROBLEMS = {
  missing: { en: 'the Authorization header is missing', ar: 'ترويسة `Authorization` مفقودة' },
  not_bearer: {
    en: 'the Authorization header does not have the form "Bearer <API_KEY>"',
    ar: 'ترويسة `Authorization` ليست بالصيغة `Bearer <API_KEY>`',
  },
  mistyped: { en: 'the key is incomplete or mistyped', ar: 'المفتاح ناقص أو فيه خطأ في الكتابة' },
  not_widget: {
    en: 'the query parameter key is not the public key of a widget (wk_…)',
    ar: 'قيمة المعامل `key` في الرابط ليست المفتاح العام لأداة اتصال (`wk_…`)',
  },
  unknown: {
    en: 'this installation does not know the key',
    ar: 'المفتاح غير معروف في هذا النظام',
  },
} as const satisfies Record<string, Phrase>;

/** The error for a request without a key of this installation. */
export function invalidKey(problem: keyof typeof PROBLEMS): HatifError<'INVALID_API_KEY'> {
  return new HatifError('INVALID_API_KEY', { problem: PROBLEMS[problem] });
}

/** The key or token of an `Authorization` header. @throws HatifError INVALID_API_KEY, WCS_NOT_ALLOWED_AS_BEARER */
export function bearerOf(authorization: string | undefined): string {
  const text = bearerIn(authorization);
  if (text === undefined) throw invalidKey(authorization === undefined ? 'missing' : 'not_bearer');
  return text;
}

/** The same; undefined if the header has another form. @throws HatifError WCS_NOT_ALLOWED_AS_BEARER */
export function bearerIn(authorization: string | undefined): string | undefined {
  const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (text !== undefined && isToken('webCalling', text)) throw new HatifError('WCS_NOT_ALLOWED_AS_BEARER');
  return text;
}
