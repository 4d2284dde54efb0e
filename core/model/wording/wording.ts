/**
 * Fills written texts. Arabic runs from right to left, and a value of another script in it
 * (`+966501234567`, a date, an id, a URL) is displayed out of order unless direction isolates
 * surround it. All code that puts values into Arabic text uses this file, so that the texts
 * themselves need no isolates.
 */
import type { GrammaticalCase, SpokenLanguage } from '../spoken/language.js';
import { NOUNS, type NounName, type SpokenNoun } from '../spoken/nouns.js';

const ARABIC_LETTER = /[\u0600-\u06ff]/;
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';
/** `{name}`, or `{name:noun}` for a count. */
const SLOT = /\{(\w+)(?::(\w+))?\}/g;

/**
 * A value for use in Arabic text: in direction isolates (U+2068 … U+2069), except Arabic text and
 * plain integers, which are displayed in order without them.
 */
export function isolate(value: string): string {
  if (value === '' || ARABIC_LETTER.test(value) || /^\d+$/.test(value)) return value;
  return FIRST_STRONG_ISOLATE + value.replace(DIRECTION_MARKS, '') + POP_ISOLATE;
}

/** Arabic text for display without markup: its `backticked` parts become isolated values. */
export function plainArabic(text: string): string {
  return text.replace(/`([^`]*)`/g, (_, value: string) => isolate(value));
}

type ArabicValue = string | number | readonly (string | number)[];

/** A template of Arabic text: each value is isolated, and a list is joined with Arabic commas. */
export function arabic(parts: TemplateStringsArray, ...values: readonly ArabicValue[]): string {
  return parts.reduce((text, part, index) => text + arabicValue(values[index - 1] ?? '') + part);
}

function arabicValue(value: ArabicValue): string {
  return typeof value === 'object' ? value.map(arabicValue).join('، ') : isolate(String(value));
}

/**
 * Fills the slots of a text. `{name}` becomes the value; `{name:second}` becomes a number of
 * seconds with the noun in the agreeing form. A slot without a value in `valueOf` stays unchanged.
 */
export function fillSlots(
  template: string,
  language: SpokenLanguage,
  valueOf: (name: string) => string | number | undefined,
): string {
  const text = language === 'ar' ? plainArabic(template) : template;
  return text.replace(SLOT, (slot, name: string, noun: string | undefined) => {
    const value = valueOf(name);
    if (value === undefined) return slot;
    if (typeof value === 'number' && isNounName(noun)) return writtenCount(value, noun, language);
    return language === 'ar' ? isolate(String(value)) : String(value);
  });
}

/** The text with its slot names in backticks instead of values, for documentation. */
export function describeSlots(template: string, language: SpokenLanguage): string {
  return template.replace(SLOT, (_, name: string, noun: string | undefined) => {
    if (!isNounName(noun)) return `\`${name}\``;
    return `\`${name}\` ${language === 'ar' ? NOUNS[noun].ar.accusative : NOUNS[noun].en.plural}`;
  });
}

/**
 * A number in digits with its noun: `5 ثوانٍ`, `30 ثانية`. One and two are words in Arabic: `ثانية واحدة`, `ثانيتين`.
 * @param grammaticalCase of the Arabic dual; almost every count in a text follows a preposition, so oblique is the default.
 */
export function writtenCount(
  n: number,
  what: NounName | SpokenNoun,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'oblique',
): string {
  const { ar, en } = typeof what === 'string' ? NOUNS[what] : what;
  if (language === 'en') return `${n} ${n === 1 ? en.singular : en.plural}`;
  switch (ARABIC_PLURALS.select(n)) {
    case 'one':
      return `${ar.singular} ${ar.gender === 'feminine' ? 'واحدة' : 'واحد'}`;
    case 'two':
      return ar.dual[grammaticalCase];
    case 'few':
      return `${n} ${ar.plural}`;
    case 'many':
      return `${n} ${ar.accusative}`;
    default:
      return `${n} ${ar.singular}`;
  }
}

const ARABIC_PLURALS = new Intl.PluralRules('ar');

function isNounName(name: string | undefined): name is NounName {
  return name !== undefined && Object.hasOwn(NOUNS, name);
}
