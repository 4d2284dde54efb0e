import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export type NumberKind = 'mobile' | 'geographic' | 'toll_free' | 'unified' | 'foreign' | 'emergency';

export interface ParsedNumber {
  /** E.164 with its `+`; an emergency number has no such form and is given as dialled (`911`). */
  readonly e164: string;
  readonly kind: NumberKind;
}

const SAUDI_CODE = '966';

/** Default numbers of police, ambulance and civil defence: always allowed, never normalised. */
export const EMERGENCY_NUMBERS: readonly string[] = ['911', '997', '998', '999'];
const EMERGENCY: ReadonlySet<string> = new Set(EMERGENCY_NUMBERS);

/** Stands for a caller number that is withheld or missing. */
export const WITHHELD_NUMBER = 'anonymous';

const E164 = /^\+[1-9]\d{1,14}$/;

/** A stored customer number as keys that may see it get it: null if it is withheld or not a telephone number. */
export function fullNumber(stored: string): string | null {
  return E164.test(stored) ? stored : null;
}

export interface ParseOptions {
  readonly allowForeign?: boolean;
  /** Instead of {@link EMERGENCY_NUMBERS}. */
  readonly emergency?: ReadonlySet<string>;
}

/** The Saudi numbering plan by national significant number. `trunkZero`: dialled inside the country with a leading 0. */
const SAUDI_PLAN: readonly { kind: NumberKind; pattern: RegExp; trunkZero: boolean }[] = [
  { kind: 'mobile', pattern: /^5\d{8}$/, trunkZero: true },
  { kind: 'geographic', pattern: /^1[1-7]\d{7}$/, trunkZero: true },
  { kind: 'toll_free', pattern: /^800\d{7}$/, trunkZero: false },
  { kind: 'unified', pattern: /^9200\d{5}$/, trunkZero: false },
];

/** Digits with single separators, or a bracketed area code, as people write numbers. */
const WRITTEN = /^\+? ?(?:\(\+?\d+\)|\d)(?:[ .-]?(?:\(\d+\)|\d))*$/;
const LONGEST_INPUT = 40;

/**
 * Parses a telephone number: E.164, the same with `00` for `+`, or a Saudi national form
 * (`0501234567`, `8001234567`, `920012345`). Accepts common separators and Arabic-Indic digits.
 * Returns null for everything else, and for foreign numbers unless they are allowed.
 */
export function parseNumber(input: string, options: ParseOptions = {}): ParsedNumber | null {
  const dialled = compact(input);
  if (dialled === null) return null;
  if ((options.emergency ?? EMERGENCY).has(dialled)) return { e164: dialled, kind: 'emergency' };
  const international = internationalDigits(dialled);
  if (international === null) return fromSaudiNational(dialled);
  if (international.startsWith(SAUDI_CODE)) return fromSaudi(international.slice(SAUDI_CODE.length));
  return options.allowForeign === true ? fromForeign(international) : null;
}

/**
 * A number in groups as people say it: a Saudi one in its local form (`050-123-4567`, `011-555-0101`, `9200-12345`), any longer one with its digits
 * in threes from the end.
 */
export function groupedNumber(e164: string): string {
  const digits = e164.replace('+', '');
  const significant = digits.startsWith(SAUDI_CODE) ? digits.slice(SAUDI_CODE.length) : null;
  const row = significant === null ? undefined : SAUDI_PLAN.find(({ pattern }) => pattern.test(significant));
  if (significant === null || row === undefined)
    return digits.length <= 6 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, '-');
  if (row.kind === 'unified') return `${significant.slice(0, 4)}-${significant.slice(4)}`;
  const local = row.trunkZero ? `0${significant}` : significant;
  return `${local.slice(0, 3)}-${local.slice(3, 6)}-${local.slice(6)}`;
}

/** Turns Arabic-Indic digits (٠-٩ and the Persian ۰-۹) into 0-9 and leaves the rest as it is. */
export function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Only a leading + and digits, or null if the text is not written like a number. */
function compact(input: string): string | null {
  if (input.length > LONGEST_INPUT) return null;
  // Text copied from Arabic may contain direction marks; dashes come in several kinds.
  const plain = asciiDigits(input)
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\u2010-\u2013]/g, '-')
    .replace(/\u00a0/g, ' ')
    .trim();
  return WRITTEN.test(plain) ? plain.replace(/[ ().-]/g, '') : null;
}

function internationalDigits(dialled: string): string | null {
  if (dialled.startsWith('+')) return dialled.slice(1);
  return dialled.startsWith('00') ? dialled.slice(2) : null;
}

function fromSaudiNational(dialled: string): ParsedNumber | null {
  const zero = dialled.startsWith('0');
  const significant = zero ? dialled.slice(1) : dialled;
  const row = SAUDI_PLAN.find(({ pattern, trunkZero }) => trunkZero === zero && pattern.test(significant));
  return row === undefined ? null : { e164: `+${SAUDI_CODE}${significant}`, kind: row.kind };
}

function fromSaudi(significant: string): ParsedNumber | null {
  const row = SAUDI_PLAN.find(({ pattern }) => pattern.test(significant));
  return row === undefined ? null : { e164: `+${SAUDI_CODE}${significant}`, kind: row.kind };
}

/**
 * The smaller metadata checks only the country's general pattern, so newly opened ranges are
 * accepted.
 */
function fromForeign(digits: string): ParsedNumber | null {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number === undefined || !number.isValid() || number.ext !== undefined) return null;
  return { e164: number.number, kind: 'foreign' };
}
