import { z } from 'zod';
import type { BlockListOwner } from '../../../../core/data/repositories/numbers/blocked-callers.js';
import type { BlockedCallerRow } from '../../../../core/data/rows.js';
import { invalidField } from '../../../../core/model/errors/index.js';
import {
  BLOCKED_KINDS,
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
} from '../../../../core/model/number/blocked-caller.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { ManageBlockedCallers } from '../../../../core/services/blocked-callers/manage.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route, type RouteContext } from '../../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, type FindProject } from '../projects/project.js';

const entry = z
  .strictObject({
    id: idOutput,
    project_id: idOutput.nullable().describe('Null: for the whole installation'),
    sandbox: z.boolean(),
    kind: z.enum(BLOCKED_KINDS),
    number: z.string().nullable().describe('E.164, or the first digits of it; null for `withheld`'),
    note: z.string().nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredBlockedCaller' });

const OF = 'Of this project; absent: of the whole installation';

export interface AdministeredBlockedCallersServices {
  readonly find: FindProject;
  readonly blockedCallers: ManageBlockedCallers;
}

/** Callers who are blocked for the whole installation, or for a project. */
export function administeredBlockedCallerRoutes({ find, blockedCallers }: AdministeredBlockedCallersServices): Route[] {
  /** The live list of a project, or that of the installation. @throws HatifError PROJECT_NOT_FOUND */
  const ownerOf = async (id: string | null, note: RouteContext['note']): Promise<BlockListOwner> => {
    if (id === null) return { projectId: null, sandbox: false };
    const project = await find.get(id);
    note(noteOn(project));
    return { projectId: project.id, sandbox: false };
  };
  return [
    route({
      ...reading,
      path: '/v1/admin/blocked-callers',
      operationId: 'listAdministeredBlockedCallers',
      summary: 'List blocked callers of the installation or of a project',
      summaryAr: 'عرض المتصلين المحظورين في المنصة أو في مشروع',
      description: 'Newest first.',
      query: z.strictObject({ ...cursorQuery, project_id: idInput.optional().describe(OF) }),
      responses: { 200: { schema: cursorList(entry), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ query: { cursor, limit, project_id = null }, cursors, note }) => {
        const owner = await ownerOf(project_id, note);
        const rows = await blockedCallers.list(owner, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/blocked-callers',
      operationId: 'blockCallerAsAdministrator',
      summary: 'Block a caller for the installation or for a project',
      summaryAr: 'حظر متصل في المنصة أو في مشروع',
      description:
        'Calls of the caller are refused before they begin; live calls continue. Emergency numbers are never blocked. An entry that is on the list already stays as it is.',
      body: z.strictObject({
        project_id: idInput.nullable().default(null).describe('Null: for the whole installation'),
        kind: z.enum(BLOCKED_KINDS).describe('`withheld`: every caller who shows no number'),
        number: z
          .string()
          .max(40)
          .nullable()
          .default(null)
          .describe('Of `exact` a number, of `prefix` the first digits'),
        note: z.string().trim().min(1).max(MAX_BLOCKED_NOTE).nullable().default(null),
      }),
      auditFields: ['project_id', 'kind', 'number'],
      responses: {
        200: {
          schema: entry.extend({ added: z.boolean().describe('False: it was on the list already') }),
          description: 'The entry',
        },
      },
      errors: ['PROJECT_NOT_FOUND', 'BLOCKED_CALLER_LIMIT_EXCEEDED'],
      handler: async ({ body: { project_id, kind, number, note: text }, note }) => {
        const wanted = readEntry(kind, number);
        const { row, isNew } = await blockedCallers.add(await ownerOf(project_id, note), wanted, text);
        return { status: 200, body: { ...present(row), added: isNew } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/blocked-callers/:id',
      operationId: 'unblockCallerAsAdministrator',
      summary: 'Unblock a caller of the installation or of a project',
      summaryAr: 'إلغاء حظر متصل في المنصة أو في مشروع',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      query: z.strictObject({ project_id: idInput.optional().describe(OF) }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'PROJECT_NOT_FOUND'],
      handler: async ({ params: { id }, query: { project_id = null }, note }) => {
        await blockedCallers.remove(await ownerOf(project_id, note), id);
        return { status: 204 };
      },
    }),
  ];
}

/** @throws HatifError VALIDATION_ERROR */
function readEntry(kind: BlockedEntry['kind'], text: string | null): BlockedEntry {
  if (kind === 'withheld' && text === null) return { kind, number: null };
  const number =
    text === null || kind === 'withheld' ? null : kind === 'prefix' ? readBlockedPrefix(text) : readBlockedNumber(text);
  if (number !== null && kind !== 'withheld') return { kind, number };
  throw invalidField('number', FAULTS[kind]);
}

const FAULTS = {
  withheld: { en: 'is not used with this kind', ar: 'لا يُستخدم مع هذا النوع' },
  prefix: {
    en: 'must be the first digits of a number in E.164, at least three (+4420)',
    ar: 'يجب أن يكون أول أرقام رقم هاتف بصيغة E.164، ثلاثة أرقام على الأقل (`+4420`)',
  },
  exact: {
    en: 'must be a telephone number such as +442071838750, and no emergency number: those are never blocked',
    ar: 'يجب أن يكون رقم هاتف مثل `+442071838750`، وليس رقم طوارئ: أرقام الطوارئ لا تُحظر',
  },
};

function present(row: BlockedCallerRow): z.output<typeof entry> {
  return toWire(row);
}
