import { z } from 'zod';
import type { AuditFilter } from '../../../core/data/repositories/accounts/audit.js';
import type { SealedAuditRow } from '../../../core/data/rows.js';
import { readNotedRow, type VerifyAudit } from '../../../core/services/audit/verify.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { AUDIT_COLUMNS, type ReadAudit } from '../../../core/services/audit/read.js';
import { cursorPage, type CursorCodec } from '../../http/paging.js';
import { csvReply, type ChunksReply } from '../../http/reply.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, timeInput } from '../../http/schema/schemas.js';
import { reading } from './administrator.js';

const entry = z
  .strictObject({
    id: idOutput,
    created_at: timeOutput,
    organization_id: idOutput.nullable(),
    project_id: idOutput.nullable(),
    actor: z.string().nullable().describe('Name of the key, or e-mail address of the person, at that time'),
    key_id: idOutput.nullable(),
    user_id: idOutput.nullable(),
    administrator_id: idOutput.nullable().describe('With a `user_id`: the administrator acted as this user'),
    ip: z.string().describe('Empty for what the platform or the command did'),
    method: z.string().describe('`CLI` for a command of the operator'),
    path: z.string(),
    route: z.string().describe('The path with the names of its parameters, or the command'),
    status: z.int(),
    error_code: z.string().nullable(),
    request_id: z.string(),
    details: z
      .record(z.string(), z.unknown())
      .describe('Names of the members of the body, values that are no secrets, settings `before` and `after` a change'),
    sequence: z.int().nullable().describe('Place in the chain of all rows; null for some seconds until it is sealed'),
  })
  .meta({ id: 'AuditEntry' });

const filters = {
  project_id: idInput.optional(),
  key_id: idInput.optional(),
  user_id: idInput.optional(),
  administrator_id: idInput.optional(),
  request_id: z.string().max(128).optional(),
  method: z.string().max(10).optional(),
  route: z.string().max(200).optional().describe('`/v1/calls/:call_id/hold`'),
  ip: z.string().max(50).optional(),
  from: timeInput().optional(),
  to: timeInput().optional().describe('Included'),
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .describe('`csv`: everything that the filters match, without pages; the header `Accept: text/csv` does the same'),
};
const query = z.strictObject({ ...cursorQuery, ...filters });
const adminQuery = query.extend({ organization_id: idInput.optional() });

const DESCRIPTION =
  'Newest first: every request that changed something or was refused, what users and administrators did, commands of the operator, and whenever full numbers were shown. Rows are never changed or deleted before their retention ends; `hatif audit verify` checks that. ' +
  `The CSV has the columns ${AUDIT_COLUMNS.map((name) => `\`${name}\``).join(', ')}.`;
const responses = {
  200: { schema: cursorList(entry), description: 'One page, or the whole CSV' },
};

const NOTED = bilingual(
  'must be the newest row as an earlier check returned it: sequence:hash',
  'يجب أن يكون أحدث صف كما أرجعه فحص سابق: `sequence:hash`',
);
const noted = z
  .string()
  .max(100)
  .transform((text, ctx) => {
    const row = readNotedRow(text);
    if (row !== null) return row;
    ctx.addIssue({ code: 'custom', message: NOTED });
    return z.NEVER;
  });

const verification = z
  .strictObject({
    intact: z.boolean(),
    rows: z.int().describe('Rows that were checked, up to the first fault'),
    unsealed: z.int().describe('Rows that are not sealed yet'),
    head: z
      .strictObject({ sequence: z.int(), hash: z.string() })
      .describe('The newest row: note it for the next check'),
    pruned_up_to: z.int().describe('Retention deleted the rows up to this one; 0: none'),
    fault: z
      .strictObject({
        kind: z.enum(['changed', 'missing', 'added', 'cut_off', 'ends']),
        sequence: z.int().nullable().describe('The row that was changed or is missing'),
      })
      .nullable()
      .describe(
        'What is wrong: rows `added` after the newest one, the newest ones `cut_off`, or the record of the `ends`',
      ),
  })
  .meta({ id: 'AuditVerification' });

export interface AuditServices {
  readonly audit: ReadAudit;
  readonly verify: VerifyAudit;
}

/** The audit log: an organization's own for its people, and the whole for administrators. */
export function auditRoutes({ audit, verify }: AuditServices): Route[] {
  return [
    route({
      method: 'GET',
      tag: 'Audit log',
      keyKind: 'user',
      permission: 'audit:read',
      path: '/v1/audit',
      operationId: 'listAudit',
      summary: 'Read the organization’s audit log',
      summaryAr: 'قراءة سجل تدقيق المؤسسة',
      description: DESCRIPTION,
      query,
      responses,
      errors: [],
      handler: ({ user, query: asked, accept, cursors }) =>
        answer(audit, { ...filterOf(asked), organization_id: user.organizationId }, asked, accept, cursors),
    }),
    route({
      ...reading,
      path: '/v1/admin/audit',
      operationId: 'listAuditOfInstallation',
      summary: 'Read the audit log of the installation',
      summaryAr: 'قراءة سجل تدقيق المنصة',
      description: DESCRIPTION,
      query: adminQuery,
      responses,
      errors: [],
      handler: ({ query: asked, accept, cursors }) => {
        const { organization_id } = asked;
        const filter = { ...filterOf(asked), ...(organization_id === undefined ? {} : { organization_id }) };
        return answer(audit, filter, asked, accept, cursors);
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/audit/verification',
      operationId: 'verifyAuditLog',
      summary: 'Check that nobody changed or removed rows of the audit log',
      summaryAr: 'التحقق من سلامة سجل التدقيق',
      description: 'Checks the whole chain, which takes its time in a long log.',
      query: z.strictObject({
        noted: noted.optional().describe('`sequence:hash` of an earlier check, which has to be there still'),
      }),
      responses: { 200: { schema: verification, description: 'What was found' } },
      errors: [],
      handler: async ({ query: { noted: row = null } }) => ({ status: 200, body: await verify.run(row) }),
    }),
  ];
}

type Asked = z.output<typeof query>;

function filterOf({ cursor: _, limit: _limit, format: _format, ...wanted }: Asked): AuditFilter {
  return given(wanted);
}

async function answer(
  audit: ReadAudit,
  filter: AuditFilter,
  { cursor, limit, format }: Asked,
  accept: string,
  cursors: CursorCodec,
): Promise<{ status: 200; body: z.output<(typeof responses)[200]['schema']> } | ChunksReply> {
  if (format === 'csv' || /^text\/csv\b/i.test(accept)) return csvReply('audit.csv', audit.csv(filter));
  const rows = await audit.page(filter, cursors.read(cursor), limit + 1);
  return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
}

function present(row: SealedAuditRow): z.output<typeof entry> {
  const { id, organization_id, project_id, actor, key_id, user_id, administrator_id, ip, method, path } = row;
  const { route: matched, status, error_code, request_id } = row;
  return {
    ...{ id, created_at: isoTime(row.created_at), organization_id, project_id, actor, key_id, user_id },
    ...{ administrator_id, ip, method, path, route: matched, status, error_code, request_id },
    details: { ...row.details },
    sequence: row.chain_sequence,
  };
}
