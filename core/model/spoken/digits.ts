import type { SpokenLanguage } from './language.js';

const ARABIC_ZERO = 0x0660;
const PERSIAN_ZERO = 0x06f0;

/** Arabic-Indic and Persian digits as 0-9, ٫ as a point and ٬ as a comma; all else stays. */
export function asciiDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - ARABIC_ZERO))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - PERSIAN_ZERO))
    .replace(/\u066b/g, '.')
    .replace(/\u066c/g, ',');
}

const WORDS: Readonly<Record<SpokenLanguage, Readonly<Record<string, string>>>> = {
  ar: {
    '0': 'صفر',
    '1': 'واحد',
    '2': 'اثنان',
    '3': 'ثلاثة',
    '4': 'أربعة',
    '5': 'خمسة',
    '6': 'ستة',
    '7': 'سبعة',
    '8': 'ثمانية',
    '9': 'تسعة',
    '+': 'زائد',
    '*': 'نجمة',
    '#': 'مربع',
    '.': 'نقطة',
  },
  en: {
    '0': 'zero',
    '1': 'one',
    '2': 'two',
    '3': 'three',
    '4': 'four',
    '5': 'five',
    '6': 'six',
    '7': 'seven',
    '8': 'eight',
    '9': 'nine',
    '+': 'plus',
    '*': 'star',
    '#': 'hash',
    '.': 'point',
  },
};
const COMMA: Readonly<Record<SpokenLanguage, string>> = { ar: '، ', en: ', ' };

/**
 * Spells a code or a telephone number one character at a time, with a short pause after each and a
 * longer one at a space or hyphen. Letters are passed to the voice; other characters without a name
 * are left out.
 */
export function spokenDigits(text: string, language: SpokenLanguage): string {
  const groups = asciiDigits(text).split(/[\s-]+/);
  return groups
    .map((group) =>
      (group.match(/./gu) ?? []).flatMap((character) => wordOf(character, language)).join(COMMA[language]),
    )
    .filter((group) => group !== '')
    .join('. ');
}

function wordOf(character: string, language: SpokenLanguage): readonly string[] {
  const word = WORDS[language][character];
  if (word !== undefined) return [word];
  return /\p{L}/u.test(character) ? [character.toUpperCase()] : [];
}
