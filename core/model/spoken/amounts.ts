import { spokenCount } from './count.js';
import type { GrammaticalCase, SpokenLanguage } from './language.js';
import type { NounName } from './nouns.js';
import { MINUS } from './number.js';

/**
 * Speaks an amount of Saudi riyals, rounded half up to the halala.
 * @throws RangeError unless it is a finite number.
 */
export function spokenMoney(
  amount: number,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isFinite(amount)) throw new RangeError(`not a speakable amount: ${amount}`);
  // Rounds the decimal text: 1.005 is half a halala more, although its binary value is slightly
  // less.
  const halalas = Math.round(Number(`${Math.abs(amount).toFixed(6)}e2`));
  if (!Number.isSafeInteger(halalas)) throw new RangeError(`amount too large to speak: ${amount}`);
  const isNegative = amount < 0 && halalas > 0;
  // After "minus" the noun is in the genitive.
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
 * Speaks a duration in days, hours, minutes and seconds.
 * @param seconds rounded to whole seconds.
 * @throws RangeError for a negative or non-finite number.
 */
export function spokenDuration(
  seconds: number,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError(`not a speakable duration: ${seconds}`);
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [size, noun] of UNITS) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) parts.push(spokenCount(count, noun, language, grammaticalCase));
  }
  return parts.length === 0 ? spokenCount(0, 'second', language, grammaticalCase) : chain(parts, language);
}

/** In Arabic every item has its own "and". */
function chain(parts: readonly string[], language: SpokenLanguage): string {
  if (language === 'ar') return parts.join(' و');
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');
}
