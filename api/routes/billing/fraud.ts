import { z } from 'zod';
import type { ProjectFraudLimits } from '../../../core/model/fraud/limits.js';
import { fraudBlockObject, presentFraudBlock } from '../../../core/model/objects/fraud-block.js';
import type { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { fraudLimits, presentFraudLimits, storedFraudLimits } from '../../http/schema/fraud-limits.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface FraudRoutesServices {
  readonly fraud: ManageFraud;
}

const ofProject = z.strictObject({
  project: fraudLimits.describe('Of all outside calls of the project together; reaching one blocks the project'),
  agents: fraudLimits.describe('Of each agent; reaching one blocks the agent'),
});
const shown = ofProject.extend({
  effective: ofProject.describe(
    'The same with the defaults of the organization and of the operator for absent members',
  ),
});
const ofAgent = z.strictObject({
  agent: z.string().describe('The extension'),
  own: fraudLimits.describe('An absent member is that of the project’s agents; null is no limit'),
  effective: fraudLimits,
});

const agentParams = z.strictObject({ agent: z.string() });

export function fraudRoutes({ fraud }: FraudRoutesServices): Route[] {
  const reading = { tag: 'Billing', scope: 'billing:read', keyKind: 'live', method: 'GET' } as const;
  const writing = { ...reading, scope: 'billing:write', method: 'PUT' } as const;
  const auditFields = ['project', 'agents'] as const;
  const presentAgent = async (projectId: string, agent: string): Promise<z.output<typeof ofAgent>> => {
    const { own, effective } = await fraud.ofAgent(projectId, agent);
    return { agent, own: presentFraudLimits(own), effective: presentFraudLimits(effective) };
  };
  const presentProject = async (projectId: string): Promise<z.output<typeof shown>> => ({
    ...present(await fraud.read(projectId)),
    effective: present(await fraud.inForce(projectId)),
  });
  return [
    route({
      ...reading,
      path: '/v1/fraud-limits',
      operationId: 'getFraudLimits',
      summary: 'Read the limits against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال',
      responses: { 200: { schema: shown, description: 'The limits of the project and of its agents' } },
      errors: [],
      handler: async ({ caller }) => ({ status: 200, body: await presentProject(caller.projectId) }),
    }),
    route({
      ...writing,
      path: '/v1/fraud-limits',
      operationId: 'setFraudLimits',
      summary: 'Set the limits against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال',
      description:
        'Replaces all limits of the project; agents with limits of their own keep them. An absent member is the default of the organization or of the operator, null is no limit. The call that would exceed a limit is refused with `OUTBOUND_BLOCKED` and blocks the outside calls of the agent, or of the project, until the block is released. Live calls continue, unless the operator or the organization says otherwise. Emergency numbers are never blocked and do not count.',
      body: ofProject,
      auditFields,
      responses: { 200: { schema: shown, description: 'The limits' } },
      errors: [],
      handler: async ({ caller, body }) => {
        await fraud.set(caller.projectId, {
          project: storedFraudLimits(body.project),
          agents: storedFraudLimits(body.agents),
        });
        return { status: 200, body: await presentProject(caller.projectId) };
      },
    }),
    route({
      ...reading,
      path: '/v1/fraud-limits/:agent',
      operationId: 'getAgentFraudLimits',
      summary: 'Read an agent’s limits against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال لموظف',
      params: agentParams,
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params }) => ({
        status: 200,
        body: await presentAgent(caller.projectId, params.agent),
      }),
    }),
    route({
      ...writing,
      path: '/v1/fraud-limits/:agent',
      operationId: 'setAgentFraudLimits',
      summary: 'Set an agent’s own limits against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال لموظف',
      description:
        'Replaces the agent’s own limits. An absent member is that of the project’s agents, null is no limit, and `{}` returns the agent to the limits of the others.',
      params: agentParams,
      body: fraudLimits,
      auditFields: ['calls_per_hour', 'minutes_per_day', 'spend_per_hour_sar', 'new_number_calls_per_hour', 'night'],
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params, body }) => {
        await fraud.setOfAgent(caller.projectId, params.agent, storedFraudLimits(body));
        return { status: 200, body: await presentAgent(caller.projectId, params.agent) };
      },
    }),
    route({
      ...reading,
      path: '/v1/fraud-blocks',
      operationId: 'listFraudBlocks',
      summary: 'List blocks against toll fraud',
      summaryAr: 'عرض حالات الحظر للحماية من الاحتيال',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        in_force: z.enum(['true', 'false']).default('true').describe('`false`: also those that were released'),
      }),
      responses: { 200: { schema: cursorList(fraudBlockObject), description: 'One page of blocks' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, in_force }, cursors }) => {
        const rows = await fraud.blocks(caller.projectId, in_force === 'true', cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentFraudBlock) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/fraud-blocks/:id/release',
      operationId: 'releaseFraudBlock',
      summary: 'Release a block against toll fraud',
      summaryAr: 'رفع حظر مفروض للحماية من الاحتيال',
      description:
        'The next outside call passes, and the limits count from 0 again. A block that was released already is returned as it is.',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      responses: { 200: { schema: fraudBlockObject, description: 'The released block' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        return { status: 200, body: presentFraudBlock(await fraud.release(caller.projectId, id, caller.id)) };
      },
    }),
  ];
}

function present({ project, agents }: ProjectFraudLimits): z.output<typeof ofProject> {
  return { project: presentFraudLimits(project), agents: presentFraudLimits(agents) };
}
