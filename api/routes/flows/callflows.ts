import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { CALLFLOW_STATUSES } from '../../../core/data/rows/callflows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import {
  FLOW_KINDS,
  graphDefinition,
  menuDefinition,
  type FlowDefinition,
  type FlowKind,
} from '../../../core/model/flow/definition.js';
import { flagOff } from '../../../core/model/flags.js';
import { flowScript, simulationResult } from '../../../core/model/flow/script.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { CallflowAuthor, CallflowService, NewCallflow } from '../../../core/services/callflows/manage.js';
import { presentVersion } from '../../../core/services/callflows/present.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const TAG = 'Call flows';

export interface CallflowRoutesServices {
  readonly callflows: CallflowService;
  /** Whether flows of kind `graph` are enabled. */
  readonly hasGraphs: (caller: Caller) => boolean;
}

const version = z.int().min(1).max(1_000_000_000);

const written = {
  name: z.string().trim().min(1).max(128),
  kind: z.enum(FLOW_KINDS),
  definition: z.record(z.string(), z.unknown()).meta({
    description: 'The definition, depending on `kind`',
    anyOf: [{ $ref: '#/components/schemas/CallFlowMenu' }, { $ref: '#/components/schemas/CallFlowGraph' }],
  }),
} as const;

/** Checks the definition against the schema of its kind. */
function ofItsKind(
  { kind, definition }: { readonly kind: FlowKind; readonly definition: unknown },
  ctx: z.RefinementCtx,
): FlowDefinition {
  const read = kind === 'menu' ? menuDefinition.safeParse(definition) : graphDefinition.safeParse(definition);
  if (read.success) return { kind, definition: read.data } as FlowDefinition;
  for (const issue of read.error.issues) {
    ctx.issues.push({
      ...issue,
      input: definition,
      path: ['definition', ...issue.path],
    } as (typeof ctx.issues)[number]);
  }
  return z.NEVER;
}

const createBody = z
  .strictObject(written)
  .transform((given, ctx): NewCallflow => ({ name: given.name, ...ofItsKind(given, ctx) }));
const replaceBody = z
  .strictObject({
    ...written,
    version: version.optional().describe('Version to replace; can be sent in `If-Match` instead'),
  })
  .transform((given, ctx) => ({ version: given.version, made: { name: given.name, ...ofItsKind(given, ctx) } }));

const callflow = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    kind: z.enum(FLOW_KINDS),
    version: z.int(),
    status: z.enum(CALLFLOW_STATUSES),
    sandbox: z.boolean(),
    definition: z.union([menuDefinition, graphDefinition]),
    bound_numbers: z.array(z.string()).describe('Numbers bound to the call flow'),
    created_at: timeOutput,
    updated_at: timeOutput,
  })
  .meta({ id: 'CallFlow' });

const callflowVersion = z
  .strictObject({
    version: z.int(),
    name: z.string(),
    definition: z.union([menuDefinition, graphDefinition]),
    created_at: timeOutput,
  })
  .meta({ id: 'CallFlowVersion' });

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const CHECKED = '`details` lists every error with its node.';

export function callflowRoutes({ callflows, hasGraphs }: CallflowRoutesServices): Route[] {
  const writing = { tag: TAG, scope: 'callflows:write', keyKind: 'any', flag: 'callflows' } as const;
  const reading = { ...writing, method: 'GET', scope: 'callflows:read' } as const;
  const allow = (kind: FlowKind, caller: Caller): void => {
    if (kind === 'graph' && !hasGraphs(caller)) throw flagOff('graph_callflows', 'POST /v1/callflows');
  };
  const turn = (how: 'activate' | 'deactivate', summary: string, summaryAr: string, description: string): Route =>
    route({
      ...writing,
      method: 'POST',
      path: `/v1/callflows/:id/${how}`,
      operationId: `${how}CallFlow`,
      summary,
      summaryAr,
      description,
      params,
      responses: {
        200: { schema: callflow, description: 'The call flow after the change. Repeating the request has no effect' },
      },
      errors: [
        'NOT_FOUND',
        ...(how === 'activate'
          ? (['CALLFLOW_TENANT_NOT_FOUND', 'CALLFLOW_VERSION_CONFLICT'] as const)
          : (['CALLFLOW_VERSION_CONFLICT'] as const)),
      ],
      handler: async (ctx) => {
        const author = authorOf(ctx.caller);
        if (how === 'activate') allow((await callflows.get(author, ctx.params.id)).kind, ctx.caller);
        return { status: 200, body: shown(await callflows[how](author, ctx.params.id)) };
      },
    });
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/callflows',
      operationId: 'createCallFlow',
      summary: 'Create a call flow',
      summaryAr: 'إنشاء مسار مكالمات',
      description:
        'Creates a draft, of which only the schema is checked. `menu` is one question with a destination for each key; `graph` is a graph of connected nodes.',
      body: createBody,
      auditFields: ['name', 'kind'],
      responses: { 201: { schema: callflow, description: 'The call flow' } },
      errors: [],
      handler: async ({ caller, body }) => {
        allow(body.kind, caller);
        return { status: 201, body: shown(await callflows.create(authorOf(caller), body)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/callflows',
      operationId: 'listCallFlows',
      summary: 'List call flows',
      summaryAr: 'عرض مسارات المكالمات',
      description: 'Newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(callflow), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const rows = await callflows.list(authorOf(caller), cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, shown) };
      },
    }),
    route({
      ...reading,
      path: '/v1/callflows/:id',
      operationId: 'getCallFlow',
      summary: 'Read a call flow',
      summaryAr: 'قراءة مسار مكالمات',
      params,
      responses: { 200: { schema: callflow, description: 'The call flow' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: shown(await callflows.get(authorOf(caller), id)),
      }),
    }),
    route({
      ...writing,
      method: 'PUT',
      path: '/v1/callflows/:id',
      operationId: 'replaceCallFlow',
      summary: 'Create a new version of a call flow',
      summaryAr: 'كتابة إصدار جديد من مسار مكالمات',
      description: `Requires the current \`version\`, in the body or in \`If-Match\`. Live calls finish on the version with which they started. If the flow is active, the new version is validated as for activation, and new calls use it immediately. ${CHECKED}`,
      params,
      body: replaceBody,
      auditFields: ['name', 'version'],
      responses: { 200: { schema: callflow, description: 'The call flow in its new version' } },
      errors: ['NOT_FOUND', 'CALLFLOW_VERSION_CONFLICT'],
      handler: async ({ caller, params: { id }, body, ifMatch }) => {
        allow(body.made.kind, caller);
        const sent = body.version ?? versionIn(ifMatch);
        if (sent === null) {
          throw invalidField('version', { en: 'is required, here or in If-Match', ar: 'مطلوب هنا أو في `If-Match`' });
        }
        return { status: 200, body: shown(await callflows.replace(authorOf(caller), id, sent, body.made)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/callflows/:id',
      operationId: 'deleteCallFlow',
      summary: 'Remove a call flow',
      summaryAr: 'حذف مسار مكالمات',
      description:
        'Refused while a number is bound to the call flow or an active flow leads to it. Live calls continue.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await callflows.remove(authorOf(caller), id);
        return { status: 204 };
      },
    }),
    turn('activate', 'Activate a call flow', 'تفعيل مسار مكالمات', CHECKED),
    turn(
      'deactivate',
      'Deactivate a call flow',
      'إيقاف مسار مكالمات',
      'Live calls continue. Calls to numbers that are bound to the call flow are not answered.',
    ),
    route({
      ...reading,
      path: '/v1/callflows/:id/versions',
      operationId: 'listCallFlowVersions',
      summary: 'List the versions of a call flow',
      summaryAr: 'عرض إصدارات مسار مكالمات',
      description: 'Newest first.',
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(callflowVersion), description: 'One page' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, query, cursors }) => {
        const position = cursors.read(query.cursor);
        const below = position === null ? null : Number(position);
        const rows = await callflows.versions(authorOf(caller), id, below, query.limit + 1);
        const view = (row: (typeof rows)[number]): z.output<typeof callflowVersion> =>
          presentVersion(row) as z.output<typeof callflowVersion>;
        return { status: 200, body: cursorPage(rows, query.limit, cursors, (row) => String(row.version), view) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      scope: 'callflows:read',
      path: '/v1/callflows/:id/simulate',
      operationId: 'simulateCallFlow',
      summary: 'Simulate a call flow',
      summaryAr: 'محاكاة مسار مكالمات دون هاتف',
      description:
        'Runs the flow with a scripted caller: pressed digits, silence, hangup, time of day and responses of external systems. No requests are sent. Drafts can be simulated too.',
      idempotent: false,
      rateLimit: { perMinute: 120 },
      params,
      body: z.strictObject({ version: version.optional(), ...flowScript.shape }),
      responses: { 200: { schema: simulationResult, description: 'Steps that the caller went through' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, body: { version: wanted, ...script } }) => ({
        status: 200,
        body: await callflows.simulate(authorOf(caller), id, wanted ?? null, script),
      }),
    }),
  ];
}

function authorOf(caller: Caller): CallflowAuthor {
  return {
    projectId: caller.projectId,
    organizationId: caller.organizationId,
    sandboxOnly: caller.sandbox,
    keyId: caller.id,
  };
}

/** RFC 9110 §13.1.1, with a version for an entity tag: `"3"`, also without the quotes. */
function versionIn(header: string | null): number | null {
  const [, digits] = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header?.trim() ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** The definition was checked when it was stored. */
function shown(object: Awaited<ReturnType<CallflowService['get']>>): z.output<typeof callflow> {
  return object as z.output<typeof callflow>;
}
