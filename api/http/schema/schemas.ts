import { z } from 'zod';
import { isExtension, type Destination, type DestinationType } from '../../../core/model/call/destinations.js';
import type { ErrorCode } from '../../../core/model/errors/index.js';
import { isId } from '../../../core/model/ids.js';
import { metadataSchema } from '../../../core/model/metadata.js';
import { asciiDigits, parseNumber } from '../../../core/model/phone-numbers.js';
import { formatSipUri, parseSipUri } from '../../../core/model/sip-uri.js';
import { parseTime } from '../../../core/model/time.js';
import { bilingual } from './bilingual.js';
import { CODE_PARAM, markCode } from './schema-codes.js';

/** A time sent by a client, with an offset. Parsed to a Date. */
export function timeInput() {
  return z
    .string()
    .meta({ format: 'date-time', description: 'ISO 8601 with an offset, such as 2026-01-31T09:00:00+03:00' })
    .transform((text, ctx) => {
      const time = parseTime(text);
      if (time) return time;
      ctx.addIssue({ code: 'custom', message: BAD_TIME });
      return z.NEVER;
    });
}
const BAD_TIME = bilingual(
  'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:00:00+03:00',
  'يجب أن يكون وقتًا بصيغة ISO 8601 مع فرق التوقيت، مثل `2026-01-31T09:00:00+03:00`',
);

/** An ID in a path. A malformed ID answers 404 for the resource, so the route declares `notFound`. */
export function idParam(notFound: ErrorCode) {
  return coded(
    z.string().meta({ format: 'uuid' }),
    notFound,
    (text) => (isId(text) ? text.toLowerCase() : null),
    bilingual('is not the ID of any resource', 'ليس معرّفًا لأي مورد'),
  );
}

/** Path parameters of a call and its sub-resources. */
export const callParams = z.strictObject({ call_id: idParam('CALL_NOT_FOUND') });

/** An ID in a body or a filter. The service checks that it exists. */
export const idInput = z
  .string()
  .meta({ format: 'uuid' })
  .refine(isId, bilingual('must be an ID that the API returned', 'يجب أن يكون معرّفًا كما أرجعته API'))
  .transform((text) => text.toLowerCase());

/**
 * A telephone number in E.164 or Saudi national form; parsed to E.164. Fails with INVALID_PHONE_NUMBER, which the route
 * declares. Foreign numbers pass: the service checks whether a trunk accepts them.
 */
export function phoneNumber() {
  return coded(
    z.string().meta({ examples: ['+966501234567'] }),
    'INVALID_PHONE_NUMBER',
    // In a query string an unencoded plus arrives as a blank.
    (text) => parseNumber(text.replace(/^ (?=\d)/, '+'), { allowForeign: true })?.e164 ?? null,
    BAD_NUMBER,
  );
}
const BAD_NUMBER = bilingual(
  'must be a telephone number in E.164 (+966501234567) or Saudi national form (0501234567)',
  'يجب أن يكون رقم هاتف بصيغة E.164 (`+966501234567`) أو بالصيغة المحلية السعودية (`0501234567`)',
);

/**
 * Recipient of a code or message: a phone number as in {@link phoneNumber}, or an e-mail address, which is lowercased. Fails
 * with INVALID_PHONE_NUMBER for text that does not look like an address.
 * @param isInsideAllowed whether it may be a visitor of a web page, or the extension of an agent, too
 */
export function recipient(isInsideAllowed = false) {
  const schema = z
    .string()
    .trim()
    .max(254)
    .meta({ examples: ['+966501234567', 'reem@example.com'] })
    .transform((text, ctx) => {
      if (isInsideAllowed && isId(text)) return text.toLowerCase();
      const isAddress = text.includes('@');
      const value = isAddress ? emailAddress(text) : parseNumber(text, { allowForeign: true })?.e164;
      if (value !== undefined) return value;
      if (isInsideAllowed && isExtension(text)) return text;
      const fault = isAddress
        ? { message: BAD_ADDRESS }
        : { message: BAD_NUMBER, params: { [CODE_PARAM]: 'INVALID_PHONE_NUMBER' } };
      ctx.addIssue({ code: 'custom', ...fault });
      return z.NEVER;
    });
  return markCode(schema, 'INVALID_PHONE_NUMBER');
}
const BAD_ADDRESS = bilingual(
  'must be an e-mail address such as name@example.com',
  'يجب أن يكون عنوان بريد إلكتروني مثل `name@example.com`',
);
const EMAIL = z.email();

function emailAddress(text: string): string | undefined {
  return EMAIL.safeParse(text).data?.toLowerCase();
}

/** @param read parses the text, or returns null for invalid text, which fails with `code` */
function coded(text: z.ZodString, code: ErrorCode, read: (text: string) => string | null, message: string) {
  const schema = text.transform((given, ctx) => {
    const value = read(given);
    if (value !== null) return value;
    ctx.addIssue({ code: 'custom', message, params: { [CODE_PARAM]: code } });
    return z.NEVER;
  });
  return markCode(schema, code);
}

/** A whole number in a query string; Arabic-Indic digits are accepted. */
export function queryInt(min: number, max: number) {
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    const digits = asciiDigits(value);
    return /^-?\d{1,15}$/.test(digits) ? Number(digits) : value;
  }, z.int().min(min).max(max));
}

/** A number in a query string that the service checks. */
export function queryNumber() {
  return z.preprocess((value) => {
    if (typeof value !== 'string' || value.trim() === '') return value;
    const number = Number(asciiDigits(value));
    return Number.isFinite(number) ? number : value;
  }, z.number());
}

/** `true` or `false` in a query string. */
export function queryBoolean() {
  return z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());
}

const ITEMS = 'Items on a page';
const NUMBERED = 'Number of the page, from 1';
const cursorText = z.string().min(1).max(512).describe('`next_cursor` of the previous page');

/** Members of a cursor-paged list's query: `z.strictObject({ ...cursorQuery, status: … })`. */
export const cursorQuery = {
  cursor: cursorText.optional(),
  limit: queryInt(1, 100).default(20).describe(ITEMS),
};

/** Query members of a list that is paged by number. */
export const pageQuery = {
  page: queryInt(1, 1_000_000).default(1).describe(NUMBERED),
  page_size: queryInt(1, 100).default(20).describe(ITEMS),
};

export type Paging =
  | { readonly mode: 'cursor'; readonly cursor: string | undefined; readonly limit: number }
  | { readonly mode: 'page'; readonly page: number; readonly pageSize: number };

/**
 * The query of a list with both ways of paging: by number if `page` or `page_size` is given, otherwise by cursor.
 * The result contains `paging` and the filters.
 */
export function eitherPaging<Shape extends z.ZodRawShape>(filters: Shape) {
  const paging = {
    cursor: cursorText.optional(),
    limit: queryInt(1, 100).optional().describe(`${ITEMS}; 20 by default`),
    page: queryInt(1, 1_000_000).optional().describe(NUMBERED),
    page_size: queryInt(1, 100).optional().describe(`${ITEMS}; 20 by default`),
  };
  return z.strictObject({ ...filters, ...paging }).transform((query, ctx) => {
    // TypeScript cannot infer `paging` through the open `filters`.
    const asked = query as { cursor?: string; limit?: number; page?: number; page_size?: number };
    const numbered = asked.page !== undefined || asked.page_size !== undefined;
    if (numbered && (asked.cursor !== undefined || asked.limit !== undefined)) {
      ctx.addIssue({ code: 'custom', message: MIXED_PAGING, path: [asked.cursor === undefined ? 'limit' : 'cursor'] });
      return z.NEVER;
    }
    const made: Paging = numbered
      ? { mode: 'page', page: asked.page ?? 1, pageSize: asked.page_size ?? 20 }
      : { mode: 'cursor', cursor: asked.cursor, limit: asked.limit ?? 20 };
    return { ...query, paging: made };
  });
}
const MIXED_PAGING = bilingual(
  'cannot be combined with page or page_size',
  'لا يمكن الجمع بينه وبين `page` أو `page_size`',
);

/** The answer of a cursor-paged list. */
export function cursorList<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable(), limit: z.int() });
}

/** The answer of a list that is paged by number. */
export function numberedList<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), total_count: z.int(), page: z.int(), page_size: z.int() });
}

type RangeCheck = (query: { readonly from?: Date | undefined; readonly to?: Date | undefined }) => boolean;

/** Rejects a range that ends before it begins: `.refine(...fromBeforeTo)` on a query with `from` and `to`. */
export const fromBeforeTo: [RangeCheck, { path: PropertyKey[]; message: string }] = [
  (query) => query.from === undefined || query.to === undefined || query.from <= query.to,
  { path: ['from'], message: bilingual('must not be later than to', 'يجب ألا يكون بعد `to`') },
];

/** The client's own data on a resource. */
export const metadata = metadataSchema;

const TARGET_FAULTS = {
  agent: bilingual('must be an agent’s extension', 'يجب أن يكون رقم تحويلة موظف'),
  sip: bilingual('must be a SIP URI such as sip:user@host', 'يجب أن يكون عنوان SIP مثل `sip:user@host`'),
  id: bilingual('must be an ID that the API returned', 'يجب أن يكون معرّفًا كما أرجعته API'),
  none: bilingual('is not used with this type', 'لا يُستخدم مع هذا النوع'),
  required: bilingual('is required with this type', 'مطلوب مع هذا النوع'),
};

/** Destinations restricted to the given types. */
export type DestinationOf<T extends DestinationType> = T extends 'hangup' | 'echo'
  ? { readonly type: T; readonly target: null }
  : { readonly type: T; readonly target: T extends 'voicemail' ? string | null : string };

/**
 * `{type, target}`, for the types that the route accepts; parsed to a checked {@link Destination}. If they include
 * `number` or `voicemail`, the route must declare INVALID_PHONE_NUMBER.
 */
export function destination<T extends DestinationType>(types: readonly [T, ...T[]]) {
  const schema = z
    .strictObject({ type: z.enum(types), target: destinationTarget })
    .transform((given, ctx) => checkedDestination(given, ctx) as DestinationOf<T>);
  return markNumbers(schema, types);
}

/** The same, or `{type: none}`, which is parsed to null. */
export function destinationOrNone<T extends DestinationType>(types: readonly [T, ...T[]]) {
  const schema = z
    .strictObject({ type: z.enum([...types, 'none']), target: destinationTarget })
    .transform(({ type, target }, ctx): DestinationOf<T> | null => {
      if (type !== 'none') return checkedDestination({ type: type as T, target }, ctx) as DestinationOf<T>;
      if (target != null) ctx.addIssue({ code: 'custom', path: ['target'], message: TARGET_FAULTS.none });
      return null;
    });
  return markNumbers(schema, types);
}

const destinationTarget = z.string().min(1).max(255).nullish();

function checkedDestination(
  given: { readonly type: DestinationType; readonly target?: string | null | undefined },
  ctx: z.RefinementCtx,
): Destination {
  const made = readDestination(given.type, given.target ?? null);
  if (typeof made === 'object') return made;
  const params = made === BAD_NUMBER ? { [CODE_PARAM]: 'INVALID_PHONE_NUMBER' } : {};
  ctx.addIssue({ code: 'custom', path: ['target'], message: made, params });
  return z.NEVER;
}

function markNumbers<S extends z.ZodType>(schema: S, types: readonly DestinationType[]): S {
  const numbers = types.some((type) => type === 'number' || type === 'voicemail');
  return numbers ? markCode(schema, 'INVALID_PHONE_NUMBER') : schema;
}

/** The destination, or the error of its target. */
function readDestination(type: DestinationType, target: string | null): Destination | string {
  switch (type) {
    case 'hangup':
    case 'echo':
      return target === null ? { type, target } : TARGET_FAULTS.none;
    case 'voicemail':
      return target === null ? { type, target } : numberTarget(type, target);
    default:
      return target === null ? TARGET_FAULTS.required : addressed(type, target);
  }
}

function addressed(type: 'agent' | 'number' | 'sip' | 'queue' | 'callflow', target: string): Destination | string {
  switch (type) {
    case 'number':
      return numberTarget(type, target);
    case 'agent':
      return isExtension(target) ? { type, target } : TARGET_FAULTS.agent;
    case 'sip': {
      const uri = parseSipUri(target);
      return uri === null ? TARGET_FAULTS.sip : { type, target: formatSipUri(uri) };
    }
    case 'queue':
    case 'callflow':
      return isId(target) ? { type, target: target.toLowerCase() } : TARGET_FAULTS.id;
  }
}

function numberTarget(type: 'number' | 'voicemail', target: string): Destination | string {
  const number = parseNumber(target, { allowForeign: true });
  return number === null ? BAD_NUMBER : { type, target: number.e164 };
}
