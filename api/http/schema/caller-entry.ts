import { z } from 'zod';
import type { BlockedCallerRow, CallerEntryRow } from '../../../core/data/rows.js';
import {
  BLOCKED_KINDS,
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
  type BlockedKind,
} from '../../../core/model/number/blocked-caller.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { bilingual } from './bilingual.js';
import { CODE_PARAM, markCode } from './schema-codes.js';

const fields = {
  id: idOutput,
  kind: z.enum(BLOCKED_KINDS),
  number: z
    .string()
    .nullable()
    .meta({ description: 'E.164, or the first digits of it; null for `withheld`', examples: ['+442071838750'] }),
  note: z.string().nullable(),
  created_at: timeOutput,
};

/** An entry of a list of callers who are never blocked. */
export const allowedCaller = z.strictObject(fields).meta({ id: 'AllowedCaller' });

/** An entry of a block list. */
export const blockedCaller = z
  .strictObject({
    ...fields,
    refused_calls: z.int().describe('Calls that it has refused; written every few seconds'),
    last_refused_at: timeOutput.nullable(),
  })
  .meta({ id: 'BlockedCaller' });

/** A new entry of a list of callers. */
export const newCallerEntry = markCode(
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

export function presentAllowedCaller({
  id,
  kind,
  number,
  note,
  created_at,
}: CallerEntryRow): z.output<typeof allowedCaller> {
  return { id, kind, number, note, created_at: isoTime(created_at) };
}

export function presentBlockedCaller({
  refused_calls,
  last_refused_at,
  ...row
}: BlockedCallerRow): z.output<typeof blockedCaller> {
  return { ...presentAllowedCaller(row), refused_calls, last_refused_at: isoTime(last_refused_at) };
}
