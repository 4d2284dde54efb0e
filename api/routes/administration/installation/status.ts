import { z } from 'zod';
import { idOutput, maskedNumber, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import {
  PARTS,
  type InstallationStatus,
  type Part,
  type ReadStatus,
} from '../../../../core/services/overview/status.js';
import type { ReadRefusedCalls } from '../../../../core/services/refused-calls/reading.js';
import { route, type Route } from '../../../http/route.js';
import { queryNumber } from '../../../http/schema/schemas.js';
import { reading } from '../administrator.js';

const partState = z
  .enum(['up', 'down', 'off', 'unknown'])
  .describe('`off`: there is none; `unknown`: it could not be examined');
const count = z.int().min(0);

const refusedCalls = z
  .strictObject({
    reason: z.string().meta({ examples: ['unknown_number'] }),
    source: z.enum(['trunk', 'softphone', 'inside']),
    source_name: z.string().nullable().describe('Name of the trunk, or the extension'),
    dialled: z.string().nullable().describe('Null: numbers that are only counted'),
    caller_masked: maskedNumber.nullable().describe('Of the last call'),
    q850: z.int().describe('Cause of the last call'),
    calls: count,
    first_at: timeOutput,
    last_at: timeOutput,
  })
  .meta({ id: 'RefusedCalls' });

const statusObject = z
  .strictObject({
    parts: z.strictObject(Object.fromEntries(PARTS.map((part) => [part, partState])) as Record<Part, typeof partState>),
    engines: z.array(
      z.strictObject({
        name: z.string(),
        kind: z.string(),
        version: z.string().nullable(),
        state: z.enum(['up', 'down']),
        live_calls: count,
      }),
    ),
    trunks: z.array(z.strictObject({ name: z.string(), state: z.string(), is_default: z.boolean() })),
    phones: z.strictObject({
      registered: count,
      total: count,
      first: z
        .array(
          z.strictObject({
            agent: z.string(),
            name: z.string(),
            project: z.string(),
            project_id: idOutput,
            registered: z.boolean(),
            number: z.string().nullable(),
          }),
        )
        .describe('The first registered ones'),
    }),
    live_calls: count,
    queues: z.array(
      z.strictObject({
        project_id: idOutput,
        queue: z.string(),
        waiting: count,
        longest_wait_seconds: count,
        available: count,
        logged_in: count,
      }),
    ),
    refused: z.array(refusedCalls).describe('The last kinds of calls that were refused in 24 hours'),
    webhooks: z.strictObject({
      pending: count,
      oldest_due_seconds: z.int(),
      troubled: z
        .array(
          z.strictObject({
            id: idOutput,
            project: z.string(),
            disabled_reason: z.string().nullable(),
            failing_since: timeOutput.nullable(),
          }),
        )
        .describe('Endpoints that fail, or that were disabled because they failed'),
    }),
  })
  .meta({ id: 'InstallationStatus' });

export interface AdministeredStatusServices {
  readonly status: ReadStatus;
  readonly refusedCalls: ReadRefusedCalls;
}

/** What runs, what happens now, and what was refused. */
export function administeredStatusRoutes({ status, refusedCalls: refused }: AdministeredStatusServices): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/status',
      operationId: 'getInstallationStatus',
      summary: 'Read what runs and what happens now',
      summaryAr: 'قراءة حالة المنصة وما يجري الآن',
      description: 'Of all projects. It contains no secret and no customer’s number.',
      responses: { 200: { schema: statusObject, description: 'The status' } },
      errors: [],
      handler: async () => ({ status: 200, body: present(await status.read()) }),
    }),
    route({
      ...reading,
      path: '/v1/admin/refused-calls',
      operationId: 'listRefusedCalls',
      summary: 'List incoming calls that were refused',
      summaryAr: 'عرض المكالمات الواردة المرفوضة',
      description:
        'Of all projects, the last ones first. Calls that have source, number and reason in common are one entry.',
      query: z.strictObject({
        hours: queryNumber().default(24).describe('Of the last hours'),
        limit: queryNumber().meta({ minimum: 1, maximum: 1000 }).default(50).describe('How many entries at most'),
      }),
      responses: { 200: { schema: z.strictObject({ data: z.array(refusedCalls) }), description: 'The entries' } },
      errors: [],
      handler: async ({ query: { hours, limit } }) => ({
        status: 200,
        body: { data: toWire(await refused.list(hours, limit)) },
      }),
    }),
  ];
}

function present(read: InstallationStatus): z.input<typeof statusObject> {
  return toWire(read) as z.input<typeof statusObject>;
}
