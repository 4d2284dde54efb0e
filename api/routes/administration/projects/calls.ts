import { z } from 'zod';
import { CALL_STATUSES } from '../../../../core/model/call/call.js';
import { callObject } from '../../../../core/model/objects/call.js';
import { idOutput } from '../../../../core/model/objects/fields.js';
import type { OperateCalls } from '../../../../core/services/calls/operate.js';
import { given } from '../../../http/request/given.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery, queryBoolean } from '../../../http/schema/schemas.js';
import { actionResult } from '../../calls/call-control.js';
import { timelineEntry } from '../../calls/calls.js';
import { reading, writing } from '../administrator.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const params = paramsOf({ call_id: z.string() });

export interface AdministeredCallsServices {
  readonly find: FindProject;
  readonly calls: OperateCalls;
}

/** The calls of projects. Numbers of customers are masked. */
export function administeredCallRoutes({ find, calls }: AdministeredCallsServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/calls`,
      operationId: 'listCallsOfProject',
      summary: 'List the calls of a project',
      summaryAr: 'عرض مكالمات مشروع',
      description: 'Newest first, those of its sandbox included.',
      params: projectParams,
      query: z.strictObject({
        ...cursorQuery,
        live: queryBoolean().optional().describe('`true`: only calls that have not ended'),
        status: z.enum(CALL_STATUSES).optional(),
      }),
      responses: { 200: { schema: cursorList(callObject), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit, live, status }, cursors }) => {
        const project = await find.get(project_id);
        const filter = given({ live: live === true ? live : undefined, status });
        const { items, next } = await calls.page(project, filter, cursors.read(cursor), limit);
        const next_cursor = next === null ? null : cursors.write(next);
        return { status: 200, body: { data: items, next_cursor, limit } };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/calls/:call_id`,
      operationId: 'getCallOfProject',
      summary: 'Read a call of a project',
      summaryAr: 'قراءة مكالمة لمشروع',
      params,
      responses: { 200: { schema: callObject, description: 'The call as it is now' } },
      errors: ['PROJECT_NOT_FOUND', 'CALL_NOT_FOUND'],
      handler: async ({ params: { project_id, call_id } }) => ({
        status: 200,
        body: await calls.get(await find.get(project_id), call_id),
      }),
    }),
    route({
      ...reading,
      path: `${PROJECT}/calls/:call_id/timeline`,
      operationId: 'getCallTimelineOfProject',
      summary: 'Get the timeline of a call of a project',
      summaryAr: 'كل ما حدث في مكالمة لمشروع بالترتيب',
      params,
      responses: {
        200: {
          schema: z.strictObject({ call_id: idOutput, data: z.array(timelineEntry) }),
          description: 'Oldest first; empty once it was deleted',
        },
      },
      errors: ['PROJECT_NOT_FOUND', 'CALL_NOT_FOUND'],
      handler: async ({ params: { project_id, call_id } }) => {
        const data = await calls.timeline(await find.get(project_id), call_id);
        return { status: 200, body: { call_id, data } };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/calls/:call_id/hangup`,
      operationId: 'hangUpCallOfProject',
      summary: 'Hang up a call of a project',
      summaryAr: 'إنهاء مكالمة لمشروع',
      description: 'Accepted means that the engine accepted the command; events report the outcome.',
      params,
      responses: { 200: { schema: actionResult, description: 'Accepted' } },
      errors: [
        'PROJECT_NOT_FOUND',
        'CALL_NOT_FOUND',
        'CALL_NOT_ACTIVE',
        'CALL_NOT_CONTROLLABLE',
        'CALL_CONTROL_FAILED',
      ],
      handler: async ({ params: { project_id, call_id }, note }) => {
        const project = await find.get(project_id);
        const ended = await calls.hangup(project, call_id, 'request');
        note(noteOn(project, { call_id: ended.call_id }));
        return { status: 200, body: ended };
      },
    }),
  ];
}
