/**
 * Arabic numerals and the nouns they count. Three to ten take the opposite gender of the noun,
 * which is plural; after eleven to ninety-nine the noun is accusative singular, after hundreds and
 * thousands genitive singular; two is the dual. In a large number the last two digits decide.
 */
import type { Gender, GrammaticalCase } from './language.js';
import { arabicNoun, type ArabicNoun } from './nouns.js';

const UNITS: Readonly<Record<Gender, readonly string[]>> = {
  masculine: ['', 'واحد', '', 'ثلاثة', 'أربعة', 'خمسة', 'ستة', 'سبعة', 'ثمانية', 'تسعة', 'عشرة'],
  feminine: ['', 'واحدة', '', 'ثلاث', 'أربع', 'خمس', 'ست', 'سبع', 'ثمان', 'تسع', 'عشر'],
};
const TWO: Readonly<Record<Gender, Readonly<Record<GrammaticalCase, string>>>> = {
  masculine: { nominative: 'اثنان', oblique: 'اثنين' },
  feminine: { nominative: 'اثنتان', oblique: 'اثنتين' },
};
const TENS = ['', '', 'عشر', 'ثلاث', 'أربع', 'خمس', 'ست', 'سبع', 'ثمان', 'تسع'];
const HUNDREDS = ['', 'مئة', '', 'ثلاثمئة', 'أربعمئة', 'خمسمئة', 'ستمئة', 'سبعمئة', 'ثمانمئة', 'تسعمئة'];
const TWO_HUNDRED: Readonly<Record<GrammaticalCase, string>> = { nominative: 'مئتان', oblique: 'مئتين' };
const SCALES: readonly (readonly [bigint, ArabicNoun])[] = [
  [10n ** 12n, arabicNoun('masculine', 'تريليون', 'تريليونات')],
  [10n ** 9n, arabicNoun('masculine', 'مليار', 'مليارات')],
  [10n ** 6n, arabicNoun('masculine', 'مليون', 'ملايين')],
  [10n ** 3n, arabicNoun('masculine', 'ألف', 'آلاف')],
];
export const ARABIC_ZERO = 'صفر';

interface Form {
  readonly gender: Gender;
  readonly grammaticalCase: GrammaticalCase;
  /**
   * Whether the counted noun follows directly in the genitive: the numeral's last word then loses
   * its own ending.
   */
  readonly isConstruct: boolean;
}

/** @param n below 10^15, not negative. */
export function arabicInteger(n: bigint, gender: Gender, grammaticalCase: GrammaticalCase): string {
  return n === 0n ? ARABIC_ZERO : numeral(n, { gender, grammaticalCase, isConstruct: false });
}

/** @param n below 10^15, not negative. */
export function arabicCount(n: bigint, noun: ArabicNoun, grammaticalCase: GrammaticalCase): string {
  if (n === 0n) return `${ARABIC_ZERO} ${noun.singular}`;
  if (n === 1n) return `${noun.singular} ${unit(1, noun.gender, grammaticalCase)}`;
  return countPhrase(n, noun, grammaticalCase, false);
}

function numeral(n: bigint, form: Form): string {
  const parts: string[] = [];
  let rest = n;
  for (const [scale, noun] of SCALES) {
    const count = rest / scale;
    rest %= scale;
    if (count === 0n) continue;
    const isConstruct = rest === 0n && form.isConstruct;
    parts.push(count === 1n ? noun.singular : countPhrase(count, noun, form.grammaticalCase, isConstruct));
  }
  const [hundreds, below] = [Number(rest / 100n), Number(rest % 100n)];
  if (hundreds === 2) {
    const two = TWO_HUNDRED[form.grammaticalCase];
    parts.push(below === 0 && form.isConstruct ? dropFinalNun(two) : two);
  } else if (hundreds > 0) {
    parts.push(HUNDREDS[hundreds] ?? '');
  }
  if (below > 0) parts.push(belowHundred(below, form));
  return parts.join(' و');
}

/** For two and more. */
function countPhrase(n: bigint, noun: ArabicNoun, grammaticalCase: GrammaticalCase, isConstruct: boolean): string {
  const form = { gender: noun.gender, grammaticalCase };
  const dual = noun.dual[grammaticalCase];
  if (n === 2n) return isConstruct ? dropFinalNun(dual) : dual;
  const last = Number(n % 100n);
  if (last === 0) return `${numeral(n, { ...form, isConstruct: true })} ${noun.singular}`;
  if (last <= 2) {
    const rounds = countPhrase(n - BigInt(last), noun, grammaticalCase, false);
    // A thousand and one: the noun itself is repeated for the one.
    return `${rounds} و${last === 1 ? noun.singular : countPhrase(2n, noun, grammaticalCase, isConstruct)}`;
  }
  if (last <= 10) return `${numeral(n, { ...form, isConstruct: true })} ${noun.plural}`;
  return `${numeral(n, { ...form, isConstruct: false })} ${isConstruct ? noun.singular : noun.accusative}`;
}

/** The dual loses its ن before what it belongs to. */
function dropFinalNun(dual: string): string {
  return dual.slice(0, -1);
}

function belowHundred(n: number, { gender, grammaticalCase, isConstruct }: Form): string {
  const [tens, ones] = [Math.floor(n / 10), n % 10];
  if (n === 8 && gender === 'feminine' && isConstruct) return 'ثماني';
  if (n <= 10) return unit(n, gender, grammaticalCase);
  if (n < 20) return teen(ones, gender, grammaticalCase);
  const ten = arabicTens(tens, grammaticalCase);
  if (ones === 0) return ten;
  return `${ones === 1 && gender === 'feminine' ? 'إحدى' : unit(ones, gender, grammaticalCase)} و${ten}`;
}

/** Twenty to ninety. */
export function arabicTens(tens: number, grammaticalCase: GrammaticalCase): string {
  return `${TENS[tens] ?? ''}${grammaticalCase === 'nominative' ? 'ون' : 'ين'}`;
}

function unit(n: number, gender: Gender, grammaticalCase: GrammaticalCase): string {
  return n === 2 ? TWO[gender][grammaticalCase] : (UNITS[gender][n] ?? '');
}

function teen(ones: number, gender: Gender, grammaticalCase: GrammaticalCase): string {
  const isFeminine = gender === 'feminine';
  const ten = isFeminine ? 'عشرة' : 'عشر';
  if (ones === 1) return `${isFeminine ? 'إحدى' : 'أحد'} ${ten}`;
  if (ones === 2) return `${dropFinalNun(TWO[gender][grammaticalCase])} ${ten}`;
  return `${ones === 8 && isFeminine ? 'ثماني' : unit(ones, gender, grammaticalCase)} ${ten}`;
}
