import { z } from 'zod';
import type { Registrations } from '../../../../core/data/repositories/engines/registrations.js';
import type { ProjectRow } from '../../../../core/data/rows.js';
import { DESTINATION_CLASSES } from '../../../../core/model/number/destination-class.js';
import { forwardingObject } from '../../../../core/model/objects/forwarding.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { AgentService, AgentView } from '../../../../core/services/agents/agents.js';
import type { Removal } from '../../../../core/services/removal/removal.js';
import { cursorPage } from '../../../http/paging.js';
import { given } from '../../../http/request/given.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery } from '../../../http/schema/schemas.js';
import { skills } from '../../../http/schema/skills.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { fraudLimits, presentLimits } from './fraud-limits.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const classes = z.array(z.enum(DESTINATION_CLASSES)).max(DESTINATION_CLASSES.length);

const agentObject = z
  .strictObject({
    id: idOutput,
    project_id: idOutput,
    organization_id: idOutput,
    agent: z.string().describe('The extension'),
    aor: z.string().describe('User name with which the softphone registers'),
    display_name: z.string(),
    may_call_out: z.boolean().describe('Whether the softphone may call outside numbers'),
    destination_classes: classes,
    fraud_limits: fraudLimits.nullable().describe('Null: those of the project’s agents'),
    caller_id_number: z.string().nullable(),
    record_calls: z.boolean(),
    priority: z.int(),
    skills,
    forwarding: forwardingObject.omit({ agent: true }),
    registrations: z
      .array(z.strictObject({ engine: z.string(), since: timeOutput.nullable() }))
      .describe('The engines where the softphone is registered; `since` is null if that is unknown'),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredAgent' });

const withPassword = agentObject
  .extend({ sip_password: z.string().describe('Shown only once') })
  .meta({ id: 'AdministeredAgentWithPassword' });

const params = paramsOf({ agent: z.string() });

export interface AdministeredAgentsServices {
  readonly find: FindProject;
  readonly agents: AgentService;
  readonly registrations: Pick<Registrations, 'ofProject'>;
  readonly removal: Pick<Removal, 'agent'>;
}

/** The agents of projects and their softphones. */
export function administeredAgentRoutes({ find, agents, registrations, removal }: AdministeredAgentsServices): Route[] {
  const present = async (rows: readonly AgentView[], { id }: ProjectRow): Promise<z.output<typeof agentObject>[]> => {
    const places = await registrations.ofProject(id);
    return rows.map(({ fraud_limits, destination_classes, skills: own, forwarding, ...agent }) => ({
      ...toWire(agent),
      ...{ destination_classes: [...destination_classes], skills: { ...own }, forwarding },
      fraud_limits: fraud_limits && presentLimits(fraud_limits),
      registrations: places
        .filter(({ aor }) => aor === agent.aor)
        .map(({ engine, since }) => toWire({ engine, since })),
    }));
  };
  const presentOne = async (row: AgentView, project: ProjectRow): Promise<z.output<typeof agentObject>> => {
    const [shown] = await present([row], project);
    if (!shown) throw new Error('one agent was presented');
    return shown;
  };
  const answer = { 200: { schema: agentObject, description: 'The agent as it is now' } };
  return [
    route({
      ...reading,
      path: `${PROJECT}/agents`,
      operationId: 'listAgentsOfProject',
      summary: 'List the agents of a project',
      summaryAr: 'عرض موظفي مشروع',
      description: 'By extension, with where their softphones are registered.',
      params: projectParams,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(agentObject), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit }, cursors }) => {
        const project = await find.get(project_id);
        const rows = await agents.page(project.id, cursors.read(cursor), limit + 1);
        const page = cursorPage(rows, limit, cursors, ({ agent }) => agent);
        return { status: 200, body: { ...page, data: await present(page.data, project) } };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/agents`,
      operationId: 'createAgentOfProject',
      summary: 'Add an agent to a project',
      summaryAr: 'إضافة موظف إلى مشروع',
      description: 'Creates a softphone account on every engine. The SIP password is shown only in this answer.',
      params: projectParams,
      body: z.strictObject({
        agent: z.string().max(100).describe('The extension'),
        display_name: z.string().max(200).optional().describe('Defaults to the extension'),
      }),
      auditFields: ['agent'],
      responses: { 201: { schema: withPassword, description: 'The agent, with the password' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, body: { agent, display_name }, note }) => {
        const project = await find.get(project_id);
        const made = await agents.add(project, agent, display_name);
        note(noteOn(project, { agent: made.agent.agent }));
        return { status: 201, body: { ...(await presentOne(made.agent, project)), sip_password: made.sipPassword } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: `${PROJECT}/agents/:agent`,
      operationId: 'changeAgentOfProject',
      summary: 'Change what an agent may call, and whether calls are recorded',
      summaryAr: 'تعديل صلاحيات اتصال موظف وتسجيل مكالماته',
      description: 'Absent members stay unchanged. Live calls continue.',
      params,
      body: z.strictObject({
        may_call_out: z.boolean().optional(),
        destination_classes: classes.optional(),
        caller_id_number: z.string().max(40).nullable().optional().describe('A number of the organization'),
        record_calls: z.boolean().optional(),
      }),
      auditFields: ['may_call_out', 'destination_classes', 'caller_id_number', 'record_calls'],
      responses: answer,
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND', 'INVALID_PHONE_NUMBER', 'CLI_NOT_OWNED'],
      handler: async ({ params: { project_id, agent }, body: { record_calls, ...calls }, note }) => {
        const project = await find.get(project_id);
        const change = given(calls);
        if (Object.keys(change).length > 0) await agents.setCallingOut(project, agent, change);
        if (record_calls !== undefined) await agents.setRecordCalls(project.id, agent, record_calls);
        note(noteOn(project, { agent }));
        return { status: 200, body: await presentOne(await agents.get(project.id, agent), project) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/agents/:agent/password`,
      operationId: 'renewAgentPassword',
      summary: 'Set a new password for an agent’s softphone',
      summaryAr: 'إنشاء كلمة مرور جديدة لهاتف موظف',
      description: 'The old one stops working at the next registration. The new one is shown only in this answer.',
      params,
      responses: { 200: { schema: withPassword, description: 'The agent, with the password' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, agent }, note }) => {
        const project = await find.get(project_id);
        const made = await agents.renewPassword(project.id, agent);
        note(noteOn(project, { agent }));
        return { status: 200, body: { ...(await presentOne(made.agent, project)), sip_password: made.sipPassword } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PROJECT}/agents/:agent`,
      operationId: 'removeAgentOfProject',
      summary: 'Remove an agent of a project',
      summaryAr: 'إزالة موظف من مشروع',
      description: 'Only one that nothing uses: no queue, number, call flow, widget or live call.',
      params,
      responses: { 200: { schema: agentObject, description: 'The agent as it was' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND', 'AGENT_ON_CALL', 'QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'],
      handler: async ({ params: { project_id, agent }, note }) => {
        const project = await find.get(project_id);
        const removed = await removal.agent(project.id, agent);
        note(noteOn(project, { agent }));
        return { status: 200, body: await presentOne(removed, project) };
      },
    }),
  ];
}
