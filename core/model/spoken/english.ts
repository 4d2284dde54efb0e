const SMALL = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES: readonly (readonly [bigint, string])[] = [
  [10n ** 12n, 'trillion'],
  [10n ** 9n, 'billion'],
  [10n ** 6n, 'million'],
  [10n ** 3n, 'thousand'],
];
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** @param n below 10^15, not negative. */
export function englishInteger(n: bigint): string {
  if (n < 1000n) return belowThousand(Number(n));
  const parts: string[] = [];
  let rest = n;
  for (const [scale, name] of SCALES) {
    const count = rest / scale;
    rest %= scale;
    if (count > 0n) parts.push(`${belowThousand(Number(count))} ${name}`);
  }
  // One thousand and five, but one thousand two hundred.
  if (rest > 0n) parts.push(`${rest < 100n ? 'and ' : ''}${belowThousand(Number(rest))}`);
  return parts.join(' ');
}

/** `n` as an ordinal: the last word changes. */
export function englishOrdinal(n: bigint): string {
  const words = englishInteger(n);
  const start = Math.max(words.lastIndexOf(' '), words.lastIndexOf('-')) + 1;
  const last = words.slice(start);
  return words.slice(0, start) + (ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`));
}

function belowThousand(n: number): string {
  if (n < 100) return belowHundred(n);
  const hundreds = `${SMALL[Math.floor(n / 100)] ?? ''} hundred`;
  return n % 100 === 0 ? hundreds : `${hundreds} and ${belowHundred(n % 100)}`;
}

function belowHundred(n: number): string {
  if (n < 20) return SMALL[n] ?? '';
  const tens = TENS[Math.floor(n / 10)] ?? '';
  return n % 10 === 0 ? tens : `${tens}-${SMALL[n % 10] ?? ''}`;
}

/**
 * Years are read in pairs (nineteen ninety-nine); the first ten of a millennium, where pairs sound
 * odd, by thousands.
 */
export function englishYear(year: number): string {
  const [century, rest] = [Math.floor(year / 100), year % 100];
  if (year < 1000 || year > 9999 || (century % 10 === 0 && rest < 10)) return englishInteger(BigInt(year));
  if (rest === 0) return `${belowHundred(century)} hundred`;
  return `${belowHundred(century)} ${rest < 10 ? `oh ${SMALL[rest] ?? ''}` : belowHundred(rest)}`;
}
