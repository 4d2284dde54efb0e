import { z } from 'zod';
import { forwardingObject, presentForwarding } from '../../../../core/model/objects/forwarding.js';
import type { AgentView } from '../../../../core/services/agents/agents.js';
import type { ManageForwarding } from '../../../../core/services/agents/forwarding.js';
import { route, type Route } from '../../../http/route.js';
import { FORWARDING_CHANGES, FORWARDING_ERRORS, forwardingChange } from '../../../http/schema/forwarding.js';
import { byAdministrator } from '../administrator.js';
import { noteOn, paramsOf, PROJECT, type FindProject } from './project.js';

export interface AdministeredForwardingServices {
  readonly find: FindProject;
  readonly forwarding: Pick<ManageForwarding, 'change'>;
  /** Notifies the agent's queues of the change. */
  readonly reportChange: (projectId: string, agent: AgentView, change: 'changed') => void;
}

/** Where the calls of the agents of projects are forwarded to; the list of agents shows it. */
export function administeredForwardingRoutes({
  find,
  forwarding,
  reportChange,
}: AdministeredForwardingServices): Route[] {
  return [
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: `${PROJECT}/agents/:agent/forwarding`,
      operationId: 'changeForwardingOfProject',
      summary: 'Forward the calls of an agent, or set do-not-disturb',
      summaryAr: 'إعادة توجيه مكالمات موظف في مشروع أو ضبط عدم الإزعاج',
      description: FORWARDING_CHANGES,
      params: paramsOf({ agent: z.string() }),
      body: forwardingChange,
      auditFields: ['do_not_disturb', 'no_answer_seconds'],
      responses: { 200: { schema: forwardingObject, description: 'The forwards as they are now' } },
      errors: ['PROJECT_NOT_FOUND', ...FORWARDING_ERRORS],
      handler: async ({ params: { project_id, agent }, body, note }) => {
        const project = await find.get(project_id);
        const changed = await forwarding.change(project.id, agent, body);
        reportChange(project.id, changed, 'changed');
        note(noteOn(project, { agent }));
        return { status: 200, body: presentForwarding(agent, changed.forwarding) };
      },
    }),
  ];
}
