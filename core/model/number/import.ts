import { parseNumber } from '../phone-numbers.js';
import type { OwnableKind } from './search.js';

/** The contents of one line of a number import file. */
export interface NumberLine {
  /** Line number, from 1. */
  readonly line: number;
  /** A number, or a range of E.164 numbers with both ends: `+966115551000-+966115551999`. */
  readonly number: string;
  /** Checked against the parsed type; empty if the file gives none. */
  readonly type: string;
}

export interface ImportedNumber {
  readonly line: number;
  readonly e164: string;
  readonly kind: OwnableKind;
}

export interface ImportFault {
  readonly line: number;
  readonly message: string;
}

/** Larger imports need several files. */
export const MAX_IMPORTED = 1_000_000;

/**
 * Parses numbers line by line. Each invalid line gives one fault, and so does a number that occurs
 * twice.
 */
export function readNumberLines(lines: readonly NumberLine[]): {
  readonly numbers: readonly ImportedNumber[];
  readonly faults: readonly ImportFault[];
} {
  const numbers: ImportedNumber[] = [];
  const faults: ImportFault[] = [];
  const lineOf = new Map<string, number>();
  for (const { line, number, type } of lines) {
    const read = readRange(number);
    const message = typeof read === 'string' ? `${number} ${read}` : faultOf(read, type, lineOf, numbers.length);
    if (message !== null) {
      faults.push({ line, message });
      continue;
    }
    for (const one of read as Plain[]) {
      lineOf.set(one.e164, line);
      numbers.push({ ...one, line });
    }
  }
  return { numbers, faults };
}

type Plain = Omit<ImportedNumber, 'line'>;

function faultOf(
  read: readonly Plain[],
  type: string,
  lineOf: ReadonlyMap<string, number>,
  before: number,
): string | null {
  const other = read.find(({ kind }) => type !== '' && kind !== type);
  if (other) return `${other.e164} is ${other.kind}, not ${type}`;
  const twice = read.find(({ e164 }) => lineOf.has(e164));
  if (twice) return `${twice.e164} is already in line ${lineOf.get(twice.e164) ?? 0}`;
  return before + read.length > MAX_IMPORTED ? `exceeds the ${MAX_IMPORTED} numbers allowed in one file` : null;
}

/** The numbers, or what is wrong with the text. */
function readRange(text: string): Plain[] | string {
  const [, from, to] = /^(\+[1-9]\d{6,14})\s*-\s*(\+[1-9]\d{6,14})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    const one = readOne(text);
    return one === null ? 'is not a phone number' : [one];
  }
  const [first, last] = [BigInt(from), BigInt(to)];
  if (from.length !== to.length || first > last) return 'is not a range: the last number comes before the first';
  if (last - first >= BigInt(MAX_IMPORTED)) return `is a range of more than ${MAX_IMPORTED} numbers`;
  const numbers: Plain[] = [];
  for (let digits = first; digits <= last; digits += 1n) {
    const one = readOne(`+${digits}`);
    if (one === null) return `is not a range of phone numbers: +${digits} is not valid`;
    numbers.push(one);
  }
  return numbers;
}

function readOne(text: string): Plain | null {
  const parsed = parseNumber(text, { allowForeign: true });
  return parsed === null || parsed.kind === 'emergency' ? null : { e164: parsed.e164, kind: parsed.kind };
}
