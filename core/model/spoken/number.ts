import { arabicInteger, arabicTens } from './arabic.js';
import { spokenDigits } from './digits.js';
import { englishInteger, englishOrdinal } from './english.js';
import type { Gender, GrammaticalCase, SpokenLanguage } from './language.js';

/** Above this limit words are hard to follow, so the digits are spoken. */
const END = 10 ** 15;
const MAX_DECIMALS = 6;

/**
 * Speaks a number in words; decimals, at most six, digit by digit.
 * @param gender of the counted noun: in Arabic the numeral agrees with it.
 * @throws RangeError unless it is a finite number.
 */
export function spokenNumber(
  n: number,
  language: SpokenLanguage,
  gender: Gender = 'masculine',
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const { isNegative, whole, decimals } = partsOf(n);
  const words = [
    ...(isNegative ? [MINUS[language]] : []),
    // What follows "minus" is in the genitive.
    integer(whole, language, gender, isNegative ? 'oblique' : grammaticalCase),
    ...(decimals === '' ? [] : [POINT[language], spokenDigits(decimals, language).replace(/[,،]/g, '')]),
  ];
  return words.join(' ');
}

export const MINUS: Readonly<Record<SpokenLanguage, string>> = { ar: 'سالب', en: 'minus' };
const POINT: Readonly<Record<SpokenLanguage, string>> = { ar: 'فاصلة', en: 'point' };

function integer(n: string, language: SpokenLanguage, gender: Gender, grammaticalCase: GrammaticalCase): string {
  if (Number(n) >= END) return spokenDigits(n, language);
  return language === 'ar' ? arabicInteger(BigInt(n), gender, grammaticalCase) : englishInteger(BigInt(n));
}

function partsOf(n: number): { isNegative: boolean; whole: string; decimals: string } {
  if (!Number.isFinite(n)) throw new RangeError(`not a speakable number: ${n}`);
  const size = Math.abs(n);
  // Such large numbers have no decimals, and `toFixed` would use an exponent.
  if (size >= END) return { isNegative: n < 0, whole: BigInt(Math.round(size)).toString(), decimals: '' };
  const [whole = '0', decimals = ''] = size
    .toFixed(MAX_DECIMALS)
    .replace(/\.?0+$/, '')
    .split('.');
  return { isNegative: n < 0 && (whole !== '0' || decimals !== ''), whole, decimals };
}

const ORDINALS = ['', '', 'الثاني', 'الثالث', 'الرابع', 'الخامس', 'السادس', 'السابع', 'الثامن', 'التاسع', 'العاشر'];

/**
 * Speaks an ordinal, in Arabic with the article.
 * @throws RangeError unless it is an integer from 1 to below 10^15.
 */
export function spokenOrdinal(
  n: number,
  language: SpokenLanguage,
  gender: Gender = 'masculine',
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isInteger(n) || n < 1 || n >= END) throw new RangeError(`not a speakable ordinal: ${n}`);
  if (language === 'en') return englishOrdinal(BigInt(n));
  const last = n % 100;
  const isAfter = n > last && last > 0;
  const rounds =
    n > last ? definite(arabicInteger(BigInt(n - last), gender, isAfter ? 'oblique' : grammaticalCase)) : '';
  return [
    ...(last > 0 ? [ordinalBelowHundred(last, gender, grammaticalCase)] : []),
    ...(isAfter ? ['بعد'] : []),
    rounds,
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function ordinalBelowHundred(n: number, gender: Gender, grammaticalCase: GrammaticalCase): string {
  const isFeminine = gender === 'feminine';
  const [tens, ones] = [Math.floor(n / 10), n % 10];
  if (n === 1) return isFeminine ? 'الأولى' : 'الأول';
  if (n <= 10) return simple(n, isFeminine);
  if (n < 20) return `${simple(ones, isFeminine)} ${isFeminine ? 'عشرة' : 'عشر'}`;
  const ten = `ال${arabicTens(tens, grammaticalCase)}`;
  return ones === 0 ? ten : `${simple(ones, isFeminine)} و${ten}`;
}

/** The ordinal on its own or inside a larger one, where "first" is another word. */
function simple(n: number, isFeminine: boolean): string {
  const word = n === 1 ? 'الحادي' : (ORDINALS[n] ?? '');
  return isFeminine ? `${word}ة` : word;
}

/** The article precedes each numeral of a chain. */
function definite(words: string): string {
  return `ال${words.replaceAll(' و', ' وال')}`;
}
