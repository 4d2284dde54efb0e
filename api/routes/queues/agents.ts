import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { PhoneServer } from '../../../core/model/sip-security.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { AgentService, AgentView } from '../../../core/services/agents/agents.js';
import type { PauseObject, ReadQueues } from '../../../core/services/queues/read.js';
import { agentInSandbox } from '../../../core/services/sandbox/queues.js';
import { extension } from '../../http/schema/extension.js';
import { phoneServerFields, presentPhoneServer } from '../../http/schema/phone-server.js';
import { assertVisible } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { skills } from '../../http/schema/skills.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';

const TAG = 'Agents';

export interface AgentRoutesServices {
  readonly agents: AgentService;
  readonly read: Pick<ReadQueues, 'pauses'>;
  /** Where softphones register. */
  readonly sipServer: PhoneServer;
  /** Notifies the agent's queues of the change. */
  readonly reportChange: (projectId: string, agent: AgentView, change: 'changed' | 'removed') => void;
}

export const agentPause = z
  .strictObject({ reason: z.string().nullable(), since: timeOutput })
  .nullable()
  .describe('Null if the agent is not paused');

const agentObject = z
  .strictObject({
    id: idOutput,
    agent: z.string().describe('The extension'),
    display_name: z.string(),
    sip_username: z.string().nullable().describe('Username with which the softphone registers; null for a sandbox key'),
    priority: z.int().min(1).max(9).describe('1 is rung first by the strategy `priority`, 9 last'),
    skills: skills.describe('Level of each skill, from 1 to 9'),
    pause: agentPause,
    created_at: timeOutput,
  })
  .meta({ id: 'Agent' });

const withPassword = agentObject
  .extend({ sip_password: z.string().nullable().describe('Shown only once'), ...phoneServerFields })
  .meta({ id: 'AgentWithPassword' });

const newExtension = extension.meta({ pattern: '^[0-9A-Za-z._-]{2,32}$', examples: ['1001'] });

const displayName = z.string().trim().min(1).max(64);
const priority = z.int().min(1).max(9);
const READING_FAILS = ['QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'] as const;
const SANDBOX_READS = 'A sandbox key does not see names, SIP user names and reasons of pauses.';
/** Any text: an unknown agent answers 404. */
const agentParams = z.strictObject({ agent: z.string() });

export function agentRoutes({ agents, read, sipServer, reportChange }: AgentRoutesServices): Route[] {
  const writing = { tag: TAG, scope: 'queues:write', keyKind: 'live' } as const;
  const reading = { ...writing, method: 'GET', scope: 'queues:read', keyKind: 'any' } as const;
  const signIn = (sipPassword: string) => ({ sip_password: sipPassword, ...presentPhoneServer(sipServer) });
  const shown = async (projectId: string, agent: AgentView) =>
    view(agent, (await read.pauses(projectId)).get(agent.agent) ?? null);
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/agents',
      operationId: 'createAgent',
      summary: 'Add an agent',
      summaryAr: 'إضافة موظف',
      description: 'Creates a softphone account on every engine. The SIP password is shown only in this answer.',
      body: z.strictObject({
        agent: newExtension,
        display_name: displayName.optional().describe('Defaults to the extension'),
        priority: priority.default(5),
        skills: skills.default({}),
      }),
      auditFields: ['agent', 'priority', 'skills'],
      secretFields: ['sip_password'],
      responses: { 201: { schema: withPassword, description: 'The agent, with the password' } },
      errors: [],
      handler: async ({ caller, body }) => {
        const owner = { id: caller.projectId, organization_id: caller.organization.id };
        const { agent, sipPassword } = await agents.add(
          owner,
          body.agent,
          body.display_name,
          body.priority,
          body.skills,
        );
        return { status: 201, body: { ...view(agent, null), ...signIn(sipPassword) } };
      },
    }),
    route({
      ...reading,
      path: '/v1/agents',
      operationId: 'listAgents',
      summary: 'List agents',
      summaryAr: 'عرض الموظفين',
      description: `The agents of the project, by extension. ${SANDBOX_READS}`,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(agentObject), description: 'One page of agents' } },
      errors: READING_FAILS,
      handler: async ({ caller, query, cursors }) => {
        const rows = await agents.page(caller.projectId, cursors.read(query.cursor), query.limit + 1);
        const pauses = await read.pauses(caller.projectId);
        const at = (row: AgentView) => row.agent;
        const present = (row: AgentView) => seenBy(caller)(view(row, pauses.get(row.agent) ?? null));
        return { status: 200, body: cursorPage(rows, query.limit, cursors, at, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/agents/:agent',
      operationId: 'getAgent',
      ownRows: true,
      summary: 'Read an agent',
      summaryAr: 'قراءة موظف',
      description: SANDBOX_READS,
      params: agentParams,
      responses: { 200: { schema: agentObject, description: 'The agent' } },
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params }) => {
        assertVisible(caller, params.agent);
        const agent = await agents.get(caller.projectId, params.agent);
        return { status: 200, body: seenBy(caller)(await shown(caller.projectId, agent)) };
      },
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/agents/:agent',
      operationId: 'changeAgent',
      summary: 'Change an agent',
      summaryAr: 'تعديل موظف',
      params: agentParams,
      description:
        'The changes apply to the next offers; a phone that already rings is not affected. `skills` replaces all skills of the agent.',
      body: z.strictObject({
        display_name: displayName.optional(),
        priority: priority.optional(),
        skills: skills.optional(),
      }),
      auditFields: ['priority', 'skills'],
      responses: { 200: { schema: agentObject, description: 'The agent as it is now' } },
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params, body }) => {
        const changed = await agents.change(caller.projectId, params.agent, body);
        reportChange(caller.projectId, changed, 'changed');
        return { status: 200, body: await shown(caller.projectId, changed) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/agents/:agent',
      operationId: 'deleteAgent',
      summary: 'Remove an agent',
      summaryAr: 'حذف موظف',
      description:
        'Removes the agent from all queues; the softphone can no longer register. Refused while the agent is on a call, ' +
        'also as a supervisor, or a call rings the phone. A call that begins at the same moment continues.',
      params: agentParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'AGENT_ON_CALL'],
      handler: async ({ caller, params }) => {
        reportChange(caller.projectId, await agents.remove(caller.projectId, params.agent), 'removed');
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/agents/:agent/sip-password',
      operationId: 'renewSipPassword',
      summary: 'Reset the SIP password',
      summaryAr: 'إنشاء كلمة مرور SIP جديدة',
      description:
        'The old password stops working at the softphone’s next registration. The new one is shown only in this answer.',
      params: agentParams,
      secretFields: ['sip_password'],
      responses: { 200: { schema: withPassword, description: 'The agent, with the new password' } },
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params }) => {
        const { agent, sipPassword } = await agents.renewPassword(caller.projectId, params.agent);
        return { status: 200, body: { ...(await shown(caller.projectId, agent)), ...signIn(sipPassword) } };
      },
    }),
  ];
}

/** How the key sees an agent: a sandbox key without personal data. */
function seenBy({ sandbox }: Caller): (agent: z.output<typeof agentObject>) => z.output<typeof agentObject> {
  return (agent) => (sandbox ? agentInSandbox(agent) : agent);
}

function view(
  { id, agent, display_name, aor, priority, skills, created_at }: AgentView,
  pause: PauseObject | null,
): z.output<typeof agentObject> {
  return { id, agent, display_name, sip_username: aor, priority, skills, pause, created_at: created_at.toISOString() };
}
