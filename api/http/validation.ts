import type { z } from 'zod';
import type { ErrorDetail } from '../../core/model/errors/index.js';
import { arabic } from '../../core/model/wording/wording.js';
import { arabicOf } from './schema/bilingual.js';

type Issue = z.core.$ZodIssue;
/** One validation error, in both languages. */
export type Detail = Required<ErrorDetail>;

type Words = readonly [english: string, arabic: string];

const MOST_DETAILS = 50;

const TYPES: Readonly<Record<string, Words>> = {
  string: ['must be a text', 'يجب أن يكون نصًّا'],
  number: ['must be a number', 'يجب أن يكون رقمًا'],
  int: ['must be a whole number', 'يجب أن يكون عددًا صحيحًا'],
  boolean: ['must be true or false', 'يجب أن يكون `true` أو `false`'],
  array: ['must be a list', 'يجب أن يكون قائمة'],
  object: ['must be an object', 'يجب أن يكون كائنًا'],
  record: ['must be an object', 'يجب أن يكون كائنًا'],
};

const IP: Words = ['must be an IP address', 'يجب أن يكون عنوان IP'];
const FORMATS: Readonly<Record<string, Words>> = {
  uuid: ['must be a UUID', 'يجب أن يكون معرّف UUID'],
  email: ['must be an email address', 'يجب أن يكون عنوان بريد إلكتروني'],
  url: ['must be a URL', 'يجب أن يكون رابط URL'],
  datetime: ['must be an ISO 8601 date-time with an offset', 'يجب أن يكون وقتًا بصيغة ISO 8601 مع فرق التوقيت'],
  ipv4: IP,
  ipv6: IP,
};

/** The validation errors in both languages. `input` is the checked value: it distinguishes missing from invalid. */
export function toDetails(issues: readonly Issue[], input: unknown): Detail[] {
  return issues.flatMap((issue) => fromIssue(issue, input, [])).slice(0, MOST_DETAILS);
}

function fromIssue(issue: Issue, input: unknown, above: readonly PropertyKey[]): Detail[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => detail([...path, key], ['is not a known field', 'حقل غير معروف']));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best));
    return closest.flatMap((inner) => fromIssue(inner, input, path));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => {
      const [english, inArabic] = words(inner, undefined);
      return detail(path, [`has a name that ${english}`, arabic`اسم الحقل ${inArabic}`]);
    });
  }
  return [detail(path, words(issue, valueAt(input, path)))];
}

function words(issue: Issue, value: unknown): Words {
  const inArabic = arabicOf(issue.message);
  if (inArabic !== undefined) return [issue.message, inArabic];
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return ['is required', 'هذا الحقل مطلوب'];
      return (
        TYPES[issue.expected] ?? [`must be of type ${issue.expected}`, arabic`يجب أن يكون من النوع ${issue.expected}`]
      );
    case 'invalid_value':
      return value === undefined ? ['is required', 'هذا الحقل مطلوب'] : oneOf(issue.values);
    case 'invalid_union':
      return 'options' in issue ? oneOf(issue.options) : ['is not valid', 'قيمة غير صالحة'];
    case 'invalid_format':
      return FORMATS[issue.format] ?? pattern(issue.pattern);
    case 'too_small':
      return size(issue.origin, 'least', issue.minimum, issue.inclusive !== false);
    case 'too_big':
      return size(issue.origin, 'most', issue.maximum, issue.inclusive !== false);
    case 'not_multiple_of':
      return [`must be a multiple of ${issue.divisor}`, arabic`يجب أن يكون من مضاعفات ${String(issue.divisor)}`];
    default:
      return [issue.message, 'قيمة غير صالحة'];
  }
}

function oneOf(values: readonly unknown[]): Words {
  const texts = values.map(String);
  const listed = texts.join(', ');
  return values.length === 1
    ? [`must be ${listed}`, arabic`يجب أن يكون ${texts}`]
    : [`must be one of: ${listed}`, arabic`يجب أن يكون إحدى القيم: ${texts}`];
}

function pattern(text: string | undefined): Words {
  return text === undefined
    ? ['is not in the right format', 'الصيغة غير صحيحة']
    : [`must match ${text}`, arabic`يجب أن يطابق النمط ${text}`];
}

function size(origin: string, side: 'least' | 'most', bound: number | bigint, inclusive: boolean): Words {
  const n = String(bound);
  const atLeast = side === 'least';
  if (origin === 'string') {
    return atLeast
      ? [`must have at least ${n} characters`, arabic`يجب ألا يقل عدد الأحرف عن ${n}`]
      : [`must have at most ${n} characters`, arabic`يجب ألا يزيد عدد الأحرف على ${n}`];
  }
  if (origin === 'array' || origin === 'set') {
    return atLeast
      ? [`must have at least ${n} items`, arabic`يجب ألا يقل عدد العناصر عن ${n}`]
      : [`must have at most ${n} items`, arabic`يجب ألا يزيد عدد العناصر على ${n}`];
  }
  if (!inclusive) {
    return atLeast
      ? [`must be more than ${n}`, arabic`يجب أن يكون أكبر من ${n}`]
      : [`must be less than ${n}`, arabic`يجب أن يكون أصغر من ${n}`];
  }
  return atLeast
    ? [`must be at least ${n}`, arabic`يجب ألا يقل عن ${n}`]
    : [`must be at most ${n}`, arabic`يجب ألا يزيد على ${n}`];
}

function detail(path: readonly PropertyKey[], [message, message_ar]: Words): Detail {
  return { path: pathText(path), message, message_ar };
}

/** `connect.target`, `events[1]`; the whole body has an empty path. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** The value at a path of the input, or undefined. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
