import { z } from 'zod';
import type { FraudBlockRow } from '../../../../core/data/rows.js';
import { fraudBlockObject, presentFraudBlock } from '../../../../core/model/objects/fraud-block.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { isoTime } from '../../../../core/model/time.js';
import type { ManageFraud } from '../../../../core/services/dialling/manage-fraud.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery, idParam, queryBoolean } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { ownerFields, ownerIn } from '../owned.js';
import { fraudLimits, presentLimits, storedLimits } from './fraud-limits.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const ofProject = z.strictObject({
  project: fraudLimits.describe('Of all outside calls of the project together'),
  agents: fraudLimits.describe('Of each agent who has no limit of its own'),
});
const shown = ofProject
  .extend({
    overrides: z
      .array(z.strictObject({ agent: z.string(), limits: fraudLimits }))
      .describe('The agents with limits of their own, by extension'),
  })
  .meta({ id: 'FraudLimitsOfProject' });
const ofAgent = z
  .strictObject({
    agent: z.string().describe('The extension'),
    own: fraudLimits.describe('An absent member is that of the project’s agents; null is no limit'),
    effective: fraudLimits,
  })
  .meta({ id: 'FraudLimitsOfAgent' });
const block = fraudBlockObject
  .extend({
    ...ownerFields,
    released_by_key: idOutput.nullable().describe('Null: by the operator, or not yet'),
    calls_ended_at: timeOutput
      .nullable()
      .describe('When the last call that the block ends was over; null before that, and if it ends none'),
  })
  .meta({ id: 'AdministeredFraudBlock' });

const agentParams = paramsOf({ agent: z.string() });

export interface AdministeredFraudServices {
  readonly find: FindProject;
  readonly fraud: ManageFraud;
}

/** The limits of projects against toll fraud, and who reached them. */
export function administeredFraudRoutes({ find, fraud }: AdministeredFraudServices): Route[] {
  const presentProject = async (projectId: string): Promise<z.output<typeof shown>> => {
    const [{ project, agents }, overrides] = await Promise.all([fraud.read(projectId), fraud.overrides(projectId)]);
    return {
      project: presentLimits(project),
      agents: presentLimits(agents),
      overrides: overrides.map(({ agent, fraud_limits }) => ({ agent, limits: presentLimits(fraud_limits) })),
    };
  };
  const presentAgent = async (projectId: string, agent: string): Promise<z.output<typeof ofAgent>> => {
    const { own, effective } = await fraud.ofAgent(projectId, agent);
    return { agent, own: presentLimits(own), effective: presentLimits(effective) };
  };
  return [
    route({
      ...reading,
      path: `${PROJECT}/fraud-limits`,
      operationId: 'getFraudLimitsOfProject',
      summary: 'Read the limits of a project against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال لمشروع',
      params: projectParams,
      responses: { 200: { schema: shown, description: 'The limits of the project and of its agents' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => ({
        status: 200,
        body: await presentProject((await find.get(project_id)).id),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/fraud-limits`,
      operationId: 'setFraudLimitsOfProject',
      summary: 'Set the limits of a project against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال لمشروع',
      description:
        'Replaces all limits of the project; agents with limits of their own keep them. Live calls continue.',
      params: projectParams,
      body: ofProject,
      auditFields: ['project', 'agents'],
      responses: { 200: { schema: shown, description: 'The limits as they are now' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, body, note }) => {
        const project = await find.get(project_id);
        await fraud.set(project.id, { project: storedLimits(body.project), agents: storedLimits(body.agents) });
        note(noteOn(project));
        return { status: 200, body: await presentProject(project.id) };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/fraud-limits/:agent`,
      operationId: 'getFraudLimitsOfAgent',
      summary: 'Read the limits of an agent of a project against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال لموظف في مشروع',
      params: agentParams,
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, agent } }) => ({
        status: 200,
        body: await presentAgent((await find.get(project_id)).id, agent),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/fraud-limits/:agent`,
      operationId: 'setFraudLimitsOfAgent',
      summary: 'Set the limits of an agent of a project against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال لموظف في مشروع',
      description:
        'Replaces the agent’s own limits. An absent member is that of the project’s agents, null is no limit.',
      params: agentParams,
      body: fraudLimits,
      auditFields: ['calls_per_hour', 'minutes_per_day', 'spend_per_hour_sar', 'new_number_calls_per_hour', 'night'],
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, agent }, body, note }) => {
        const project = await find.get(project_id);
        await fraud.setOfAgent(project.id, agent, storedLimits(body));
        note(noteOn(project, { agent }));
        return { status: 200, body: await presentAgent(project.id, agent) };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/fraud-blocks`,
      operationId: 'listFraudBlocksOfProject',
      summary: 'List blocks of a project against toll fraud',
      summaryAr: 'عرض حالات الحظر للحماية من الاحتيال لمشروع',
      description: 'Newest first.',
      params: projectParams,
      query: z.strictObject({
        ...cursorQuery,
        in_force: queryBoolean().default(true).describe('`false`: also those that were released'),
      }),
      responses: { 200: { schema: cursorList(block), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit, in_force }, cursors }) => {
        const project = await find.get(project_id);
        const rows = await fraud.blocks(project.id, in_force, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentBlock) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/fraud-blocks/:block_id/release`,
      operationId: 'releaseFraudBlockOfProject',
      summary: 'Release a block of a project against toll fraud',
      summaryAr: 'رفع حظر مفروض على مشروع للحماية من الاحتيال',
      description: 'The next outside call passes, and the limits count from 0 again.',
      params: paramsOf({ block_id: idParam('NOT_FOUND') }),
      responses: { 200: { schema: block, description: 'The released block' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, block_id }, note }) => {
        const project = await find.get(project_id);
        const row = await fraud.release(project.id, block_id, null, 'request');
        note(noteOn(project, { agent: row.agent, rule: row.rule }));
        return { status: 200, body: presentBlock(row) };
      },
    }),
  ];
}

function presentBlock(row: FraudBlockRow): z.output<typeof block> {
  const { released_by_key, calls_ended_at } = row;
  return { ...presentFraudBlock(row), ...ownerIn(row), released_by_key, calls_ended_at: isoTime(calls_ended_at) };
}
