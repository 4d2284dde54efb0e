import { asciiDigits, parseNumber } from '../phone-numbers.js';

interface Searched {
  readonly phone: string | null;
  readonly email: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
}

/** Letters that people write one for another, after accents, vowel marks and hamzas are gone. */
const SAME_LETTERS: Readonly<Record<string, string>> = { ٱ: 'ا', ى: 'ي', ة: 'ه', ک: 'ك', ی: 'ي', ء: '', ـ: '' };
const REPLACED = new RegExp(`[${Object.keys(SAME_LETTERS).join('')}]`, 'gu');

/** Words that are also written together with the next one: عبد الله and عبدالله, Al Otaibi and AlOtaibi. */
const JOINED: ReadonlySet<string> = new Set([
  'عبد',
  'ابو',
  'ام',
  'بن',
  'ال',
  'al',
  'el',
  'abdul',
  'abdel',
  'abu',
  'bin',
]);
const ARTICLE = /^(?:ال|al(?=....))/;

/** The end of a number that a search may begin with, in digits. */
const SHORTEST_END = 4;
const MOST_WORDS = 8;

/**
 * The words of a text in the form in which they are compared: without case, accents, Arabic vowel marks and tatweel; with
 * one form of alef, of ya (alef maqsura) and of ha (ta marbuta); digits are 0-9. Everything but letters and digits
 * separates words.
 */
export function plainWords(text: string): string[] {
  return asciiDigits(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(REPLACED, (letter) => SAME_LETTERS[letter] ?? letter)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Every word by whose beginning a search finds the contact. */
export function indexedWords({ phone, email, name_en, name_ar }: Searched): string[] {
  const names = [name_en, name_ar].flatMap((name) => (name === null ? [] : namesIn(name)));
  const addresses = email === null ? [] : plainWords(email);
  return [...new Set([...names, ...addresses, ...(phone === null ? [] : endsOf(phone))])];
}

/**
 * What is searched for: each of the words must begin a word of the contact. A telephone number in any form is one word.
 * None if the text has neither letters nor digits.
 */
export function searchedWords(text: string): string[] {
  const number = parseNumber(text, { allowForeign: true });
  return number === null ? plainWords(text).slice(0, MOST_WORDS) : [number.e164.replace('+', '')];
}

function namesIn(name: string): string[] {
  const words = plainWords(name);
  return words.flatMap((word, index) => {
    const next = words[index + 1];
    const joined = JOINED.has(word) && next !== undefined ? [word + next] : [];
    return [word, ...joined].flatMap((one) => (ARTICLE.test(one) ? [one, one.replace(ARTICLE, '')] : [one]));
  });
}

/** The digits, in the national form of a Saudi number too, and without each of the first digits. */
function endsOf(phone: string): string[] {
  const digits = phone.replace('+', '');
  const ends = Array.from({ length: digits.length - SHORTEST_END + 1 }, (_, index) => digits.slice(index));
  return digits.startsWith('966') ? [...ends, `0${digits.slice(3)}`] : ends;
}
