/**
 * Money inside Hatif: millionths of a riyal in a number that is always a safe integer (up to nine
 * thousand million SAR). It is rounded to halalas only at the edge, once, after summing.
 */
export type MicroSar = number;

export const MICROS_PER_SAR = 1_000_000;
export const MICROS_PER_HALALA = 10_000;

const DECIMAL = /^(-?)(\d{1,10})(?:\.(\d{1,6}))?$/;

/**
 * Parses an amount in riyals with up to six decimals ("0.075"), so that no amount passes through a
 * binary fraction.
 * @throws RangeError for anything else
 */
export function microsFromSar(text: string): MicroSar {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`Not an amount in SAR: ${text}`);
  const micros = Number(whole) * MICROS_PER_SAR + Number(fraction.padEnd(6, '0'));
  return safe(sign === '-' ? -micros : micros);
}

/**
 * `value × times / by`, exact, rounded to the nearest integer with halves away from zero, so that a
 * refund reverses its charge. All three are safe integers and `by` is positive.
 * @throws RangeError otherwise
 */
export function multiplyDivide(value: number, times: number, by: number): number {
  if (by <= 0) throw new RangeError(`Cannot divide an amount by ${by}`);
  const product = BigInt(safe(value)) * BigInt(safe(times));
  const divisor = BigInt(safe(by));
  const magnitude = product < 0n ? -product : product;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return safe(Number(product < 0n ? -rounded : rounded));
}

/** The amount in whole halalas, halves rounded away from zero. */
export function halalas(amount: MicroSar): number {
  return multiplyDivide(amount, 1, MICROS_PER_HALALA);
}

/** The amount rounded to whole halalas, still in millionths. */
export function roundHalfUp(amount: MicroSar): MicroSar {
  return halalas(amount) * MICROS_PER_HALALA;
}

/** The amount as the API returns it: a JSON number of riyals with at most two decimals. */
export function sarNumber(amount: MicroSar): number {
  return halalas(amount) / 100;
}

/** The exact amount, as a JSON number of riyals with at most six decimals. */
export function exactSarNumber(amount: MicroSar): number {
  return safe(amount) / MICROS_PER_SAR;
}

/** The amount for display: always two decimals, no grouping ("1234.50"). */
export function formatSar(amount: MicroSar): string {
  const rounded = halalas(amount);
  const digits = String(Math.abs(rounded)).padStart(3, '0');
  return `${rounded < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Value added tax on a net amount, rounded to a millionth. @param percent an integer */
export function vat(net: MicroSar, percent: number): MicroSar {
  return multiplyDivide(net, percent, 100);
}

/** The tax as printed on invoices and paid: in whole halalas, half up. */
export function vatInHalalas(net: MicroSar, percent: number): MicroSar {
  return roundHalfUp(vat(net, percent));
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer amount: ${value}`);
  // -0 would be printed as "-0" by some formatters and "0" by others.
  return value === 0 ? 0 : value;
}
