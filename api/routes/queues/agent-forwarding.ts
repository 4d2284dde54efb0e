import { z } from 'zod';
import { forwardingObject, maskedForwarding, presentForwarding } from '../../../core/model/objects/forwarding.js';
import type { AgentService, AgentView } from '../../../core/services/agents/agents.js';
import type { ManageForwarding } from '../../../core/services/agents/forwarding.js';
import { assertVisible } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { FORWARDING_CHANGES, FORWARDING_ERRORS, forwardingChange } from '../../http/schema/forwarding.js';

export interface AgentForwardingRoutesServices {
  readonly agents: Pick<AgentService, 'get'>;
  readonly forwarding: Pick<ManageForwarding, 'change'>;
  /** Notifies the agent's queues of the change. */
  readonly reportChange: (projectId: string, agent: AgentView, change: 'changed') => void;
}

const TAG = 'Agents';
const PATH = '/v1/agents/:agent/forwarding';
/** Any text: an unknown agent answers 404. */
const params = z.strictObject({ agent: z.string() });

/** Where the calls of agents are forwarded to. */
export function agentForwardingRoutes({ agents, forwarding, reportChange }: AgentForwardingRoutesServices): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'getAgentForwarding',
      tag: TAG,
      summary: 'Read where an agent’s calls are forwarded to',
      summaryAr: 'قراءة إعادة توجيه مكالمات موظف',
      description: 'A sandbox key sees masked numbers.',
      scope: 'queues:read',
      keyKind: 'any',
      ownRows: true,
      params,
      responses: { 200: { schema: forwardingObject, description: 'The forwards, and do-not-disturb' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { agent } }) => {
        assertVisible(caller, agent);
        const { forwarding: set } = await agents.get(caller.projectId, agent);
        return { status: 200, body: (caller.sandbox ? maskedForwarding : presentForwarding)(agent, set) };
      },
    }),
    route({
      method: 'PATCH',
      path: PATH,
      operationId: 'changeAgentForwarding',
      tag: TAG,
      summary: 'Forward an agent’s calls, or set do-not-disturb',
      summaryAr: 'إعادة توجيه مكالمات موظف أو ضبط عدم الإزعاج',
      description: `${FORWARDING_CHANGES} The event \`agent.forwarding_changed\` reports a change.`,
      scope: 'queues:write',
      keyKind: 'live',
      ownRows: true,
      params,
      body: forwardingChange,
      auditFields: ['do_not_disturb', 'no_answer_seconds'],
      responses: { 200: { schema: forwardingObject, description: 'The forwards as they are now' } },
      errors: [...FORWARDING_ERRORS],
      handler: async ({ caller, params: { agent }, body }) => {
        assertVisible(caller, agent);
        const changed = await forwarding.change(caller.projectId, agent, body);
        reportChange(caller.projectId, changed, 'changed');
        return { status: 200, body: presentForwarding(agent, changed.forwarding) };
      },
    }),
  ];
}
