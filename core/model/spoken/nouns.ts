import type { Gender, GrammaticalCase } from './language.js';

/** The forms of a noun, with its adjective if it has one. */
export interface ArabicNoun {
  readonly gender: Gender;
  readonly singular: string;
  /** After eleven to ninety-nine. */
  readonly accusative: string;
  readonly dual: Readonly<Record<GrammaticalCase, string>>;
  readonly plural: string;
}

/** A noun with a regular dual ending; a final feminine ending changes to an open one before it. */
export function arabicNoun(gender: Gender, singular: string, plural: string): ArabicNoun {
  const isClosed = singular.endsWith('ة');
  const stem = isClosed ? `${singular.slice(0, -1)}ت` : singular;
  return {
    gender,
    singular,
    accusative: isClosed ? singular : `${singular}ًا`,
    dual: { nominative: `${stem}ان`, oblique: `${stem}ين` },
    plural,
  };
}

/** A countable noun in both languages. */
export interface SpokenNoun {
  readonly ar: ArabicNoun;
  readonly en: { readonly singular: string; readonly plural: string };
}

function noun(ar: ArabicNoun, singular: string, plural = `${singular}s`): SpokenNoun {
  return { ar, en: { singular, plural } };
}

/** A feminine inanimate noun with an adjective, which follows its noun in every form. */
function described(bare: ArabicNoun, adjective: string, english: string): SpokenNoun {
  const stem = `${adjective.slice(0, -1)}ت`;
  return noun(
    {
      gender: bare.gender,
      singular: `${bare.singular} ${adjective}`,
      accusative: `${bare.accusative} ${adjective}`,
      dual: { nominative: `${bare.dual.nominative} ${stem}ان`, oblique: `${bare.dual.oblique} ${stem}ين` },
      plural: `${bare.plural} ${adjective}`,
    },
    english,
  );
}

const MESSAGE = arabicNoun('feminine', 'رسالة', 'رسائل');

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
  message: noun(MESSAGE, 'message'),
  new_message: described(MESSAGE, 'جديدة', 'new message'),
  saved_message: described(MESSAGE, 'محفوظة', 'saved message'),
  call: noun(arabicNoun('feminine', 'مكالمة', 'مكالمات'), 'call'),
  // The dual differs from the plural in a vowel only.
  caller: noun(
    { ...arabicNoun('masculine', 'متصل', 'متصلين'), dual: { nominative: 'متصلان', oblique: 'متصلَين' } },
    'caller',
  ),
  attempt: noun(arabicNoun('feminine', 'محاولة', 'محاولات'), 'attempt'),
  digit: noun(arabicNoun('masculine', 'رقم', 'أرقام'), 'digit'),
  node: noun(arabicNoun('feminine', 'عقدة', 'عقد'), 'node'),
  decimal_place: described(arabicNoun('feminine', 'خانة', 'خانات'), 'عشرية', 'decimal place'),
  person: noun(arabicNoun('masculine', 'شخص', 'أشخاص'), 'person', 'people'),
} as const satisfies Readonly<Record<string, SpokenNoun>>;
export type NounName = keyof typeof NOUNS;
