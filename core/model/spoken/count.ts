import { arabicCount } from './arabic.js';
import type { GrammaticalCase, SpokenLanguage } from './language.js';
import { NOUNS, type ArabicNoun, type NounName, type SpokenNoun } from './nouns.js';
import { MINUS, spokenNumber } from './number.js';

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
  // What follows "minus" is in the genitive.
  if (n < 0) return `${MINUS.ar} ${arabicWords(-n, ar, 'oblique')}`;
  return arabicWords(n, ar, grammaticalCase);
}

/** Quarters have words of their own. */
const FRACTIONS: Readonly<Record<number, string>> = { 0.25: 'ربع', 0.5: 'نصف', 0.75: 'ثلاثة أرباع' };

/** @param n not negative. */
function arabicWords(n: number, noun: ArabicNoun, grammaticalCase: GrammaticalCase): string {
  if (n < 10 ** 15) {
    const whole = Math.floor(n);
    if (whole === n) return arabicCount(BigInt(n), noun, grammaticalCase);
    const fraction = FRACTIONS[n - whole];
    if (fraction !== undefined) {
      return whole === 0
        ? `${fraction} ${noun.singular}`
        : `${arabicCount(BigInt(whole), noun, grammaticalCase)} و${fraction}`;
    }
  }
  // Decimals are said one after another, as numbers that count nothing.
  return `${spokenNumber(n, 'ar', 'masculine', grammaticalCase)} ${noun.singular}`;
}
