import { spokenCount } from './count.js';
import type { GrammaticalCase, SpokenLanguage } from './language.js';
import type { NounName } from './nouns.js';
import { MINUS } from './number.js';

/**
 * An amount of Saudi riyals, rounded half-up to the halala.
 * @throws RangeError for what is no finite number.
 */
export function spokenMoney(
  amount: number,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isFinite(amount)) throw new RangeError(`not an amount to be spoken: ${amount}`);
  // By the decimal that is written: 1.005 is half a halala more, whatever its nearest binary number is.
  const halalas = Math.round(Number(`${Math.abs(amount).toFixed(6)}e2`));
  if (!Number.isSafeInteger(halalas)) throw new RangeError(`an amount too large to be spoken: ${amount}`);
  const isNegative = amount < 0 && halalas > 0;
  // What follows "minus" is in the genitive.
  const inCase = isNegative ? 'oblique' : grammaticalCase;
  const [riyals, rest] = [Math.floor(halalas / 100), halalas % 100];
  const parts: string[] = [];
  if (riyals > 0 || rest === 0) parts.push(spokenCount(riyals, 'riyal', language, inCase));
  if (rest > 0) parts.push(spokenCount(rest, 'halala', language, inCase));
  const words = chain(parts, language);
  return isNegative ? `${MINUS[language]} ${words}` : words;
}

const UNITS: readonly (readonly [number, NounName])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/**
 * A time that passes, in days, hours, minutes and seconds.
 * @param seconds rounded to whole ones.
 * @throws RangeError for what is negative or no finite number.
 */
export function spokenDuration(
  seconds: number,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError(`not a duration to be spoken: ${seconds}`);
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [size, noun] of UNITS) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) parts.push(spokenCount(count, noun, language, grammaticalCase));
  }
  return parts.length === 0 ? spokenCount(0, 'second', language, grammaticalCase) : chain(parts, language);
}

/** In Arabic every member has its own "and". */
function chain(parts: readonly string[], language: SpokenLanguage): string {
  if (language === 'ar') return parts.join(' و');
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');
}
