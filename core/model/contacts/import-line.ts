import { EMAIL_RULE, readEmail } from '../accounts/email.js';
import { isTimeZone } from '../calendar/opening-hours.js';
import type { ErrorCode, Phrase } from '../errors/index.js';
import { isKeepable } from '../keepable-text.js';
import { asciiDigits, parseNumber } from '../phone-numbers.js';
import { arabic } from '../wording/wording.js';
import { MAX_NAME, MAX_TAG, MAX_TAGS } from './contact.js';
import { MAX_CUSTOM_TEXT } from './custom-fields.js';
import { columnName, type ImportColumn, type ImportField } from './import-columns.js';

/** What a line says of a contact: empty values are absent. */
export interface ContactLine {
  phone?: string;
  email?: string;
  name_en?: string;
  name_ar?: string;
  language?: 'ar' | 'en';
  time_zone?: string;
  tags?: readonly string[];
  marketing_opted_out?: boolean;
  custom_fields: Record<string, string | number | boolean>;
}

/** What is wrong with a line, without the value: it may be personal. */
export interface LineFault {
  /** Null: the whole line. */
  readonly column: string | null;
  readonly code: ErrorCode;
  readonly problem: Phrase;
}

type Read<T> = T | Phrase;

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, '1': true, نعم: true },
  ...{ false: false, no: false, '0': false, لا: false },
};
const LANGUAGES: Readonly<Record<string, 'ar' | 'en'>> = {
  ...{ ar: 'ar', arabic: 'ar', عربي: 'ar', العربية: 'ar' },
  ...{ en: 'en', english: 'en', إنجليزي: 'en', الإنجليزية: 'en' },
};

const PHRASES = {
  phone: {
    en: 'must be a telephone number such as +966501234567 or 0501234567',
    ar: 'يجب أن يكون رقم هاتف مثل `+966501234567` أو `0501234567`',
  },
  noAddress: { en: 'needs a phone or an email', ar: 'يحتاج إلى `phone` أو `email`' },
  columns: { en: 'has more values than the file has columns', ar: 'عدد قيم السطر أكبر من عدد أعمدة الملف' },
  language: { en: 'must be ar or en', ar: 'يجب أن يكون `ar` أو `en`' },
  zone: {
    en: 'must be an IANA time zone such as Asia/Riyadh',
    ar: 'يجب أن يكون منطقة زمنية بصيغة IANA مثل `Asia/Riyadh`',
  },
  boolean: { en: 'must be true or false', ar: 'يجب أن يكون `true` أو `false`' },
  number: { en: 'must be a number', ar: 'يجب أن يكون رقمًا' },
  text: { en: 'must not contain NUL or broken characters', ar: 'يجب ألا يحتوي على رموز تالفة' },
  tags: {
    en: `must be at most ${MAX_TAGS} tags of at most ${MAX_TAG} characters, separated by semicolons`,
    ar: arabic`يجب ألا تزيد الوسوم على ${MAX_TAGS}، وألا تزيد أحرف الوسم على ${MAX_TAG}، وتفصل بينها فاصلة منقوطة`,
  },
} as const satisfies Record<string, Phrase>;

const tooLong = (max: number): Phrase => ({
  en: `must have at most ${max} characters`,
  ar: arabic`يجب ألا يزيد عدد الأحرف على ${max}`,
});

/** Reads a line. @returns what it says, or everything that is wrong with it */
export function readLine(columns: readonly ImportColumn[], values: readonly string[]): ContactLine | LineFault[] {
  if (values.length > columns.length) return [fault(null, PHRASES.columns)];
  const line: ContactLine = { custom_fields: {} };
  const faults: LineFault[] = [];
  for (const [index, column] of columns.entries()) {
    const text = (values[index] ?? '').trim();
    if (text === '') continue;
    const problem = isKeepable(text) ? readValue(line, column, text) : PHRASES.text;
    if (problem)
      faults.push(fault(columnName(column), problem, problem === PHRASES.phone ? 'INVALID_PHONE_NUMBER' : undefined));
  }
  if (faults.length > 0) return faults;
  return line.phone === undefined && line.email === undefined ? [fault(null, PHRASES.noAddress)] : line;
}

/**
 * A number as spreadsheets leave it: they take the plus or the zero away from a Saudi number, or add an apostrophe.
 * Null if it is none.
 */
export function readImportedNumber(text: string): string | null {
  const plain = asciiDigits(text).replace(/^'/, '').trim();
  const written = /^966\d{9}$/.test(plain) ? `+${plain}` : /^5\d{8}$/.test(plain) ? `0${plain}` : plain;
  const number = parseNumber(written, { allowForeign: true });
  return number === null || number.kind === 'emergency' ? null : number.e164;
}

function fault(column: string | null, problem: Phrase, code: ErrorCode = 'VALIDATION_ERROR'): LineFault {
  return { column, code, problem };
}

/** Adds the value to the line. @returns what is wrong with it */
function readValue(line: ContactLine, column: ImportColumn, text: string): Phrase | null {
  if (column.kind === 'field') return setField(line, column.name, text);
  const value = readCustom(column.type, text);
  if (isPhrase(value)) return value;
  line.custom_fields[column.name] = value;
  return null;
}

function setField(line: ContactLine, name: ImportField, text: string): Phrase | null {
  const value = readField(name, text);
  if (isPhrase(value)) return value;
  Object.assign(line, { [name]: value });
  return null;
}

function readField(name: ImportField, text: string): Read<ContactLine[ImportField]> {
  switch (name) {
    case 'phone':
      return readImportedNumber(text) ?? PHRASES.phone;
    case 'email':
      return readEmail(text) ?? EMAIL_RULE;
    case 'name_en':
    case 'name_ar':
      return text.length <= MAX_NAME ? text : tooLong(MAX_NAME);
    case 'language':
      return known(LANGUAGES, text) ?? PHRASES.language;
    case 'time_zone':
      return isTimeZone(text) ? text : PHRASES.zone;
    case 'marketing_opted_out':
      return known(BOOLEANS, text) ?? PHRASES.boolean;
    case 'tags':
      return readTags(text) ?? PHRASES.tags;
  }
}

function readTags(text: string): readonly string[] | null {
  const tags = [...new Set(text.split(/[;؛]/).map((tag) => tag.trim()))].filter((tag) => tag !== '');
  return tags.length <= MAX_TAGS && tags.every((tag) => tag.length <= MAX_TAG) ? tags : null;
}

function readCustom(type: 'text' | 'number' | 'boolean', text: string): Read<string | number | boolean> {
  switch (type) {
    case 'text':
      return text.length <= MAX_CUSTOM_TEXT ? text : tooLong(MAX_CUSTOM_TEXT);
    case 'boolean':
      return known(BOOLEANS, text) ?? PHRASES.boolean;
    case 'number': {
      const plain = asciiDigits(text);
      return /^[+-]?\d{1,15}(?:\.\d{1,9})?$/.test(plain) ? Number(plain) : PHRASES.number;
    }
  }
}

function known<T>(values: Readonly<Record<string, T>>, text: string): T | undefined {
  const name = text.toLowerCase();
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function isPhrase(value: unknown): value is Phrase {
  return typeof value === 'object' && value !== null && 'ar' in value;
}
