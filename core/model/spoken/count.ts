import { arabicCount, arabicNoun, type ArabicNoun } from './arabic.js';
import type { GrammaticalCase, SpokenLanguage } from './language.js';
import { MINUS, spokenNumber } from './number.js';

/** A countable noun in both languages. */
export interface SpokenNoun {
  readonly ar: ArabicNoun;
  readonly en: { readonly singular: string; readonly plural: string };
}

function noun(ar: ArabicNoun, singular: string, plural = `${singular}s`): SpokenNoun {
  return { ar, en: { singular, plural } };
}

/** "message" with an adjective, which follows its noun in every form. */
function messages(adjective: string, english: string): SpokenNoun {
  const stem = `${adjective.slice(0, -1)}ت`;
  return noun(
    {
      gender: 'feminine',
      singular: `رسالة ${adjective}`,
      accusative: `رسالة ${adjective}`,
      dual: { nominative: `رسالتان ${stem}ان`, oblique: `رسالتين ${stem}ين` },
      plural: `رسائل ${adjective}`,
    },
    `${english} message`,
  );
}

export const NOUNS = {
  second: noun(arabicNoun('feminine', 'ثانية', 'ثوانٍ'), 'second'),
  minute: noun(arabicNoun('feminine', 'دقيقة', 'دقائق'), 'minute'),
  hour: noun(arabicNoun('feminine', 'ساعة', 'ساعات'), 'hour'),
  day: noun(arabicNoun('masculine', 'يوم', 'أيام'), 'day'),
  week: noun(arabicNoun('masculine', 'أسبوع', 'أسابيع'), 'week'),
  month: noun(arabicNoun('masculine', 'شهر', 'أشهر'), 'month'),
  year: noun(arabicNoun('feminine', 'سنة', 'سنوات'), 'year'),
  riyal: noun(arabicNoun('masculine', 'ريال', 'ريالات'), 'riyal'),
  halala: noun(arabicNoun('feminine', 'هللة', 'هللات'), 'halala'),
  message: noun(arabicNoun('feminine', 'رسالة', 'رسائل'), 'message'),
  new_message: messages('جديدة', 'new'),
  saved_message: messages('محفوظة', 'saved'),
  call: noun(arabicNoun('feminine', 'مكالمة', 'مكالمات'), 'call'),
  caller: noun(arabicNoun('masculine', 'متصل', 'متصلين'), 'caller'),
  attempt: noun(arabicNoun('feminine', 'محاولة', 'محاولات'), 'attempt'),
  person: noun(arabicNoun('masculine', 'شخص', 'أشخاص'), 'person', 'people'),
} as const satisfies Readonly<Record<string, SpokenNoun>>;
export type NounName = keyof typeof NOUNS;

/**
 * Speaks a count: the numeral and the noun in agreeing forms.
 * @param grammaticalCase Arabic: `oblique` after a preposition or a noun.
 */
export function spokenCount(
  n: number,
  what: NounName | SpokenNoun,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const { ar, en } = typeof what === 'string' ? NOUNS[what] : what;
  if (language === 'en') return `${spokenNumber(n, 'en')} ${n === 1 ? en.singular : en.plural}`;
  if (!Number.isSafeInteger(n) || Math.abs(n) >= 10 ** 15) {
    return `${spokenNumber(n, 'ar', ar.gender, grammaticalCase)} ${ar.singular}`;
  }
  const count = arabicCount(BigInt(Math.abs(n)), ar, grammaticalCase);
  return n < 0 ? `${MINUS.ar} ${count}` : count;
}
