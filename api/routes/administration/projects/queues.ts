import { z } from 'zod';
import type { CallflowRow } from '../../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { ReadQueues } from '../../../../core/services/queues/read.js';
import { route, type Route } from '../../../http/route.js';
import { idParam } from '../../../http/schema/schemas.js';
import { memberObject } from '../../queues/queue-agents.js';
import { queueObject, statsObject, waitingObject } from '../../queues/queues.js';
import { reading } from '../administrator.js';
import { paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const queue = queueObject
  .extend({
    organization_id: idOutput,
    project_id: idOutput,
    music_path: z.string().nullable().describe('Path of the audio file on the engines'),
    removed_at: timeOutput.nullable(),
  })
  .meta({ id: 'AdministeredQueue' });

const wholeQueue = z
  .strictObject({
    queue,
    stats: statsObject,
    agents: z.array(memberObject).describe('Agents who are or were logged in'),
    callers: z.array(waitingObject).describe('Waiting callers, in order'),
  })
  .meta({ id: 'AdministeredQueueState' });

const flowName = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    status: z.enum(['draft', 'active', 'inactive']),
    sandbox: z.boolean(),
  })
  .meta({ id: 'CallFlowName' });

const params = paramsOf({ queue_id: idParam('NOT_FOUND') });

/** All the time that is kept. */
const ALWAYS = { from: null, to: null };

export interface AdministeredQueuesServices {
  readonly find: FindProject;
  readonly queues: ReadQueues;
  readonly callflows: {
    list(projectId: string): Promise<readonly Pick<CallflowRow, 'id' | 'name' | 'status' | 'sandbox'>[]>;
  };
}

/** Queues of projects, and the call flows that calls can be sent to. */
export function administeredQueueRoutes({ find, queues, callflows }: AdministeredQueuesServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/queues`,
      operationId: 'listQueuesOfProject',
      summary: 'List the queues of a project',
      summaryAr: 'عرض قوائم الانتظار لمشروع',
      description: 'By name.',
      params: projectParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(queue) }), description: 'Every queue' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => {
        const { id } = await find.get(project_id);
        return { status: 200, body: { data: (await queues.list(id)).map(present) } };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/queues/:queue_id`,
      operationId: 'getQueueOfProject',
      summary: 'Read a queue with its statistics, agents and callers',
      summaryAr: 'قراءة قائمة انتظار مع إحصاءاتها وموظفيها والمتصلين فيها',
      description: 'The statistics are of all the time that is kept.',
      params,
      responses: { 200: { schema: wholeQueue, description: 'The queue as it is now' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND', 'QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'],
      handler: async ({ params: { project_id, queue_id } }) => {
        const { id: projectId } = await find.get(project_id);
        const row = await queues.get({ projectId }, queue_id);
        const [stats, agents, callers] = await Promise.all([
          queues.stats({ projectId }, row.id, ALWAYS),
          queues.members(projectId, row.id),
          queues.waiting({ projectId }, row.id),
        ]);
        return { status: 200, body: { queue: present(row), stats, agents, callers } };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/callflows`,
      operationId: 'listCallflowsOfProject',
      summary: 'List the call flows of a project',
      summaryAr: 'عرض مسارات المكالمات لمشروع',
      description: 'Their names only, those of the sandbox included. A key of the project reads and changes them.',
      params: projectParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(flowName) }), description: 'Every call flow' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => {
        const rows = await callflows.list((await find.get(project_id)).id);
        return {
          status: 200,
          body: { data: rows.map(({ id, name, status, sandbox }) => ({ id, name, status, sandbox })) },
        };
      },
    }),
  ];
}

function present(row: Awaited<ReturnType<ReadQueues['get']>>): z.input<typeof queue> {
  const { overflow, required_skills, ...rest } = row;
  // The type of a destination is text in the table.
  return {
    ...toWire(rest),
    overflow: overflow as z.input<typeof queue>['overflow'],
    required_skills: { ...required_skills },
  };
}
