import { arabicInteger, arabicTens } from './arabic.js';
import { spokenDigits } from './digits.js';
import { englishInteger, englishOrdinal } from './english.js';
import type { Gender, GrammaticalCase, SpokenLanguage } from './language.js';

/** Beyond this there are no words that anybody follows: digits are said. */
const END = 10 ** 15;
const MAX_DECIMALS = 6;

/**
 * A number in words; decimals, at most six, one digit after another.
 * @param gender of what is counted: in Arabic the numeral follows it.
 * @throws RangeError for what is no finite number.
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
  if (!Number.isFinite(n)) throw new RangeError(`not a number to be spoken: ${n}`);
  const size = Math.abs(n);
  // Beyond, there are no decimals, and the digits would be written with an exponent.
  if (size >= END) return { isNegative: n < 0, whole: BigInt(Math.round(size)).toString(), decimals: '' };
  const [whole = '0', decimals = ''] = size
    .toFixed(MAX_DECIMALS)
    .replace(/\.?0+$/, '')
    .split('.');
  return { isNegative: n < 0 && (whole !== '0' || decimals !== ''), whole, decimals };
}

const ORDINALS = ['', '', 'الثاني', 'الثالث', 'الرابع', 'الخامس', 'السادس', 'السابع', 'الثامن', 'التاسع', 'العاشر'];

/**
 * The place in an order, in Arabic with the article.
 * @throws RangeError for what is no whole number from 1 up to 10^15.
 */
export function spokenOrdinal(
  n: number,
  language: SpokenLanguage,
  gender: Gender = 'masculine',
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isInteger(n) || n < 1 || n >= END) throw new RangeError(`not a place in an order: ${n}`);
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

/** As it stands alone and within larger ones, where the first is another word. */
function simple(n: number, isFeminine: boolean): string {
  const word = n === 1 ? 'الحادي' : (ORDINALS[n] ?? '');
  return isFeminine ? `${word}ة` : word;
}

/** The article stands before each numeral of a chain. */
function definite(words: string): string {
  return `ال${words.replaceAll(' و', ' وال')}`;
}
