import { z } from 'zod';
import type { BlockedCallerRow } from '../../../core/data/rows.js';
import {
  BLOCKED_KINDS,
  MAX_BLOCKED_CALLERS,
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
  type BlockedKind,
} from '../../../core/model/number/blocked-caller.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { CODE_PARAM, markCode } from '../../http/schema/schema-codes.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface BlockedCallerRoutesServices {
  readonly blockedCallers: ManageBlockedCallers;
}

const blockedCaller = z
  .strictObject({
    id: idOutput,
    kind: z.enum(BLOCKED_KINDS),
    number: z
      .string()
      .nullable()
      .meta({ description: 'E.164, or the first digits of it; null for `withheld`', examples: ['+442071838750'] }),
    note: z.string().nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'BlockedCaller' });

const newEntry = markCode(
  z
    .strictObject({
      kind: z.enum(BLOCKED_KINDS).describe('`withheld`: every caller who shows no number'),
      number: z
        .string()
        .max(40)
        .nullish()
        .meta({
          description: 'Of `exact`: a number. Of `prefix`: the first digits of numbers, at least three. Else absent.',
          examples: ['+442071838750', '+4420'],
        }),
      note: z.string().trim().min(1).max(MAX_BLOCKED_NOTE).nullish().describe('Your own note'),
    })
    .transform(({ kind, number, note }, ctx) => {
      const entry = readEntry(kind, number ?? null);
      if (typeof entry === 'object') return { entry, note: note ?? null };
      const params = entry === BAD_NUMBER ? { [CODE_PARAM]: 'INVALID_PHONE_NUMBER' } : {};
      ctx.addIssue({ code: 'custom', path: ['number'], message: entry, params });
      return z.NEVER;
    }),
  'INVALID_PHONE_NUMBER',
);

const BAD_NUMBER = bilingual(
  'must be a telephone number such as +442071838750, and no emergency number: those are never blocked',
  'يجب أن يكون رقم هاتف مثل `+442071838750`، وليس رقم طوارئ: أرقام الطوارئ لا تُحظر',
);
const BAD_PREFIX = bilingual(
  'must be the first digits of a number in E.164, at least three (+4420)',
  'يجب أن يكون أول أرقام رقم هاتف بصيغة E.164، ثلاثة أرقام على الأقل (`+4420`)',
);
const REQUIRED = bilingual('is required with this kind', 'مطلوب مع هذا النوع');
const NOT_USED = bilingual('is not used with this kind', 'لا يُستخدم مع هذا النوع');

/** The entry, or what is wrong with its number. */
function readEntry(kind: BlockedKind, text: string | null): BlockedEntry | string {
  if (kind === 'withheld') return text === null ? { kind, number: null } : NOT_USED;
  if (text === null) return REQUIRED;
  const number = kind === 'prefix' ? readBlockedPrefix(text) : readBlockedNumber(text);
  return number === null ? (kind === 'prefix' ? BAD_PREFIX : BAD_NUMBER) : { kind, number };
}

const params = z.strictObject({ id: idParam('NOT_FOUND') });

export function blockedCallerRoutes({ blockedCallers }: BlockedCallerRoutesServices): Route[] {
  const reading = { tag: 'Numbers', scope: 'numbers:read', keyKind: 'any', method: 'GET' } as const;
  const writing = { ...reading, scope: 'numbers:write' } as const;
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/blocked-callers',
      operationId: 'blockCaller',
      summary: 'Block a caller',
      summaryAr: 'حظر متصل',
      description: `Calls of the caller to the numbers of the project are refused before they begin: they have no call object, cost nothing and are not recorded. Emergency numbers are never blocked, and neither are calls between the project’s own phones. If the caller is blocked already, the answer is 200 with the first entry. A list has at most ${MAX_BLOCKED_CALLERS} entries. A sandbox key has its own list, which blocks simulated callers.`,
      body: newEntry,
      auditFields: ['kind', 'number'],
      responses: {
        201: { schema: blockedCaller, description: 'The new entry' },
        200: { schema: blockedCaller, description: 'The entry that the list has already' },
      },
      errors: ['INVALID_PHONE_NUMBER', 'BLOCKED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ caller, body }) => {
        const { row, isNew } = await blockedCallers.add(kindOf({ caller }), body.entry, body.note);
        return isNew ? { status: 201, body: view(row) } : { status: 200, body: view(row) };
      },
    }),
    route({
      ...reading,
      path: '/v1/blocked-callers',
      operationId: 'listBlockedCallers',
      summary: 'List blocked callers',
      summaryAr: 'عرض المتصلين المحظورين',
      description:
        'The block list of the project, newest first. The operator can block callers for the whole installation, too; those are not in this list.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(blockedCaller), description: 'One page of the block list' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const rows = await blockedCallers.list(kindOf({ caller }), cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, view) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/blocked-callers/:id',
      operationId: 'unblockCaller',
      summary: 'Unblock a caller',
      summaryAr: 'إلغاء حظر متصل',
      description: 'The next call of the caller is taken again, unless another entry blocks it.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await blockedCallers.remove(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}

function view({ id, kind, number, note, created_at }: BlockedCallerRow): z.output<typeof blockedCaller> {
  return { id, kind, number, note, created_at: isoTime(created_at) };
}
