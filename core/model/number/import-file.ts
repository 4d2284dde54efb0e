import { parseNumber } from '../phone-numbers.js';
import type { OwnableKind } from './search.js';

export interface ImportedNumber {
  /** From 1. */
  readonly line: number;
  readonly e164: string;
  readonly kind: OwnableKind;
}

export interface ImportFault {
  readonly line: number;
  /** What stands there. */
  readonly text: string;
  readonly reason: string;
}

export interface NumberFile {
  readonly numbers: readonly ImportedNumber[];
  readonly faults: readonly ImportFault[];
}

/** More are imported by several files. */
export const MOST_IMPORTED = 1_000_000;

/**
 * Reads a file of numbers: one a line, or a range `first-last` of E.164 numbers with both ends; a second column may say the type, to be checked.
 * Separators are commas, semicolons and tabs; a heading, empty lines and `#` comments are left out. Every line that is wrong is a fault of
 * its own; a number that stands there twice is one, too.
 */
export function readNumberFile(text: string): NumberFile {
  const numbers: ImportedNumber[] = [];
  const faults: ImportFault[] = [];
  const firstLine = new Map<string, number>();
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .forEach((content, index) => {
      const line = index + 1;
      const [number = '', type = ''] = content.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
      if (content.trim() === '' || number.startsWith('#') || (index === 0 && /^(number|e164)$/i.test(number))) return;
      const read = readCell(number);
      if (typeof read === 'string') {
        faults.push({ line, text: content.trim(), reason: read });
        return;
      }
      const wrongKind = read.find(({ kind }) => type !== '' && kind !== type);
      const twice = read.find(({ e164 }) => firstLine.has(e164));
      if (wrongKind) faults.push({ line, text: content.trim(), reason: `is ${wrongKind.kind}, not ${type}` });
      else if (twice)
        faults.push({
          line,
          text: content.trim(),
          reason: `stands in line ${firstLine.get(twice.e164) ?? line} already`,
        });
      else if (numbers.length + read.length > MOST_IMPORTED)
        faults.push({ line, text: content.trim(), reason: `is beyond the ${MOST_IMPORTED} numbers of one file` });
      else {
        for (const one of read) {
          firstLine.set(one.e164, line);
          numbers.push({ ...one, line });
        }
      }
    });
  return { numbers, faults };
}

/** The numbers, or what is wrong with them. */
function readCell(cell: string): Omit<ImportedNumber, 'line'>[] | string {
  const [, from, to] = /^(\+[1-9]\d{6,14})\s*-\s*(\+[1-9]\d{6,14})$/.exec(cell) ?? [];
  if (from === undefined || to === undefined) {
    const one = asNumber(cell);
    return one === null ? 'is not a phone number' : [one];
  }
  const [first, last] = [BigInt(from), BigInt(to)];
  if (from.length !== to.length || first > last) return 'is not a range: the last number comes before the first';
  if (last - first >= BigInt(MOST_IMPORTED)) return `is a range of more than ${MOST_IMPORTED} numbers`;
  const numbers: Omit<ImportedNumber, 'line'>[] = [];
  for (let digits = first; digits <= last; digits += 1n) {
    const one = asNumber(`+${digits}`);
    if (one === null) return `is not a range of phone numbers: +${digits} is none`;
    numbers.push(one);
  }
  return numbers;
}

function asNumber(text: string): Omit<ImportedNumber, 'line'> | null {
  const parsed = parseNumber(text, { allowForeign: true });
  return parsed === null || parsed.kind === 'emergency' ? null : { e164: parsed.e164, kind: parsed.kind };
}
