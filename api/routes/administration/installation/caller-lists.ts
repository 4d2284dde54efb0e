import { z } from 'zod';
import type { CallerListOwner } from '../../../../core/data/repositories/numbers/caller-list.js';
import type { AllowedCallerRow, BlockedCallerRow, CallerEntryRow } from '../../../../core/data/rows.js';
import { invalidField, type ErrorCode } from '../../../../core/model/errors/index.js';
import {
  BLOCKED_CALLER_ANSWERS,
  BLOCKED_KINDS,
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
} from '../../../../core/model/number/blocked-caller.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { BlockedCallerAnswers } from '../../../../core/services/blocked-callers/answers.js';
import type { ManageAllowedCallers, ManageBlockedCallers } from '../../../../core/services/blocked-callers/manage.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route, type RouteContext } from '../../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, type FindProject } from '../projects/project.js';

const OF = 'Of this project; absent: of the whole installation';
const OF_AGENT = 'Of this agent of the project; absent: of the whole project';

const fields = {
  id: idOutput,
  project_id: idOutput.nullable().describe('Null: for the whole installation'),
  agent: z.string().nullable().describe('The extension; null: for the whole project'),
  sandbox: z.boolean(),
  kind: z.enum(BLOCKED_KINDS),
  number: z.string().nullable().describe('E.164, or the first digits of it; null for `withheld`'),
  note: z.string().nullable(),
  created_at: timeOutput,
};
const allowed = z.strictObject(fields).meta({ id: 'AdministeredAllowedCaller' });
const blocked = z
  .strictObject({ ...fields, refused_calls: z.int(), last_refused_at: timeOutput.nullable() })
  .meta({ id: 'AdministeredBlockedCaller' });
const added = z.boolean().describe('False: it was on the list already');

const ofWhom = { project_id: idInput.optional().describe(OF), agent: z.string().optional().describe(OF_AGENT) };
const newEntry = z.strictObject({
  project_id: idInput.nullable().default(null).describe('Null: for the whole installation'),
  agent: z.string().nullable().default(null).describe('The extension; null: for the whole project'),
  kind: z.enum(BLOCKED_KINDS).describe('`withheld`: every caller who shows no number'),
  number: z.string().max(40).nullable().default(null).describe('Of `exact` a number, of `prefix` the first digits'),
  note: z.string().trim().min(1).max(MAX_BLOCKED_NOTE).nullable().default(null),
});
const params = z.strictObject({ id: idParam('NOT_FOUND') });

export interface AdministeredCallersServices {
  readonly find: FindProject;
  readonly blockedCallers: ManageBlockedCallers;
  readonly allowedCallers: ManageAllowedCallers;
  readonly blockedCallerAnswers: BlockedCallerAnswers;
}

/** Callers who are blocked, or never are: for the installation, a project or an agent. */
export function administeredCallerRoutes(services: AdministeredCallersServices): Route[] {
  const { blockedCallers, allowedCallers } = services;
  return [
    ...listRoutes<BlockedCallerRow>(services, {
      list: blockedCallers,
      path: '/v1/admin/blocked-callers',
      ids: ['listAdministeredBlockedCallers', 'blockCallerAsAdministrator', 'unblockCallerAsAdministrator'],
      summaries: [
        'List blocked callers of the installation, a project or an agent',
        'Block a caller for the installation, a project or an agent',
        'Unblock a caller of the installation, a project or an agent',
      ],
      summariesAr: [
        'عرض المتصلين المحظورين في المنصة أو في مشروع أو لدى موظف',
        'حظر متصل في المنصة أو في مشروع أو لدى موظف',
        'إلغاء حظر متصل في المنصة أو في مشروع أو لدى موظف',
      ],
      description:
        'Calls of the caller are refused before they begin; live calls continue. Emergency numbers are never blocked. An entry that is on the list already stays as it is.',
      schema: blocked,
      present: (row) => toWire(row),
      full: 'BLOCKED_CALLER_LIMIT_EXCEEDED',
    }),
    ...listRoutes<AllowedCallerRow>(services, {
      list: allowedCallers,
      path: '/v1/admin/allowed-callers',
      ids: ['listAdministeredAllowedCallers', 'allowCallerAsAdministrator', 'removeAllowedCallerAsAdministrator'],
      summaries: [
        'List the allow list of the installation, a project or an agent',
        'Never block a caller: for the installation, a project or an agent',
        'Remove a caller from an allow list',
      ],
      summariesAr: [
        'عرض المتصلين المستثنين من الحظر في المنصة أو في مشروع أو لدى موظف',
        'استثناء متصل من الحظر في المنصة أو في مشروع أو لدى موظف',
        'إلغاء استثناء متصل من الحظر',
      ],
      description:
        'The list of the installation and that of a project win over every block list; that of an agent, over the agent’s own. An entry that is on the list already stays as it is.',
      schema: allowed,
      present: (row) => toWire(row),
      full: 'ALLOWED_CALLER_LIMIT_EXCEEDED',
    }),
    ...answerRoutes(services),
  ];
}

/** Texts are in the order of the routes: list, add, remove. */
interface ListRoutes<Row extends CallerEntryRow> {
  readonly list: Pick<ManageBlockedCallers | ManageAllowedCallers, 'remove'> & {
    add(owner: CallerListOwner, entry: BlockedEntry, note: string | null): Promise<{ row: Row; isNew: boolean }>;
    list(owner: CallerListOwner, beforeId: string | null, limit: number): Promise<Row[]>;
  };
  readonly path: string;
  readonly ids: readonly [string, string, string];
  readonly summaries: readonly [string, string, string];
  readonly summariesAr: readonly [string, string, string];
  readonly description: string;
  readonly schema: typeof blocked | typeof allowed;
  readonly present: (row: Row) => z.output<typeof blocked> | z.output<typeof allowed>;
  readonly full: ErrorCode;
}

function listRoutes<Row extends CallerEntryRow>(
  { find }: Pick<AdministeredCallersServices, 'find'>,
  { list, path, ids, summaries, summariesAr, description, schema, present, full }: ListRoutes<Row>,
): Route[] {
  /** @throws HatifError PROJECT_NOT_FOUND, VALIDATION_ERROR */
  const ownerOf = async (
    projectId: string | null,
    agent: string | null,
    note: RouteContext['note'],
  ): Promise<CallerListOwner> => {
    if (projectId === null && agent !== null) throw invalidField('project_id', NEEDS_PROJECT);
    if (projectId === null) return { projectId: null, sandbox: false };
    const project = await find.get(projectId);
    note(noteOn(project));
    return { projectId: project.id, sandbox: false, agent };
  };
  return [
    route({
      ...reading,
      path,
      operationId: ids[0],
      summary: summaries[0],
      summaryAr: summariesAr[0],
      description: 'Newest first.',
      query: z.strictObject({ ...cursorQuery, ...ofWhom }),
      responses: { 200: { schema: cursorList(schema), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ query: { cursor, limit, project_id = null, agent = null }, cursors, note }) => {
        const owner = await ownerOf(project_id, agent, note);
        const rows = await list.list(owner, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path,
      operationId: ids[1],
      summary: summaries[1],
      summaryAr: summariesAr[1],
      description,
      body: newEntry,
      auditFields: ['project_id', 'agent', 'kind', 'number'],
      responses: { 200: { schema: schema.extend({ added }), description: 'The entry' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND', full],
      handler: async ({ body: { project_id, agent, kind, number, note: text }, note }) => {
        const wanted = readEntry(kind, number);
        const { row, isNew } = await list.add(await ownerOf(project_id, agent, note), wanted, text);
        return { status: 200, body: { ...present(row), added: isNew } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: ids[2],
      summary: summaries[2],
      summaryAr: summariesAr[2],
      params,
      query: z.strictObject(ofWhom),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'PROJECT_NOT_FOUND'],
      handler: async ({ params: { id }, query: { project_id = null, agent = null }, note }) => {
        await list.remove(await ownerOf(project_id, agent, note), id);
        return { status: 204 };
      },
    }),
  ];
}

const answer = z.enum(BLOCKED_CALLER_ANSWERS).nullable();
const answerObject = z
  .strictObject({
    answer: answer.describe('Null: nothing is set there'),
    effective: z.enum(BLOCKED_CALLER_ANSWERS).describe('What blocked callers get now'),
  })
  .meta({ id: 'AdministeredBlockedCallerAnswer' });

function answerRoutes({ find, blockedCallerAnswers }: AdministeredCallersServices): Route[] {
  const idOf = async (id: string | null, note: RouteContext['note']): Promise<string | null> => {
    if (id === null) return null;
    const project = await find.get(id);
    note(noteOn(project));
    return project.id;
  };
  return [
    route({
      ...reading,
      path: '/v1/admin/blocked-caller-answer',
      operationId: 'getAdministeredBlockedCallerAnswer',
      summary: 'Read what blocked callers get',
      summaryAr: 'قراءة الرد على المتصلين المحظورين في المنصة أو في مشروع',
      query: z.strictObject({ project_id: ofWhom.project_id }),
      responses: { 200: { schema: answerObject, description: 'The setting, and what applies' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ query: { project_id = null }, note }) => {
        const { own, effective } = await blockedCallerAnswers.read(await idOf(project_id, note));
        return { status: 200, body: { answer: own, effective } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/blocked-caller-answer',
      operationId: 'setAdministeredBlockedCallerAnswer',
      summary: 'Set what blocked callers get',
      summaryAr: 'تحديد الرد على المتصلين المحظورين في المنصة أو في مشروع',
      description: 'For projects that say nothing else, or for one project.',
      body: z.strictObject({
        project_id: idInput.nullable().default(null).describe('Null: for projects that say nothing else'),
        answer,
      }),
      auditFields: ['project_id', 'answer'],
      responses: { 200: { schema: answerObject, description: 'The setting as it is now' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ body: { project_id, answer: wanted }, note }) => {
        const { own, effective } = await blockedCallerAnswers.set(await idOf(project_id, note), wanted);
        return { status: 200, body: { answer: own, effective } };
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

const NEEDS_PROJECT = { en: 'is required with an agent', ar: 'مطلوب مع الموظف' };
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
