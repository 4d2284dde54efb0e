import { z } from 'zod';
import { timeOutput } from '../../../core/model/objects/fields.js';
import type { AgentStats } from '../../../core/services/queues/agent-stats.js';
import { agentStatsInSandbox } from '../../../core/services/sandbox/queues.js';
import { assertVisible } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { fromBeforeTo, timeInput } from '../../http/schema/schemas.js';

const count = z.int().min(0);
const statsObject = z
  .strictObject({
    agent: z.string().describe('The extension'),
    period: z.strictObject({ from: timeOutput.nullable(), to: timeOutput.nullable() }).nullable(),
    offered: count.describe('Calls of queues for which the agent’s phone was rung'),
    answered: count,
    missed: count.describe('Offers that the agent rejected or did not answer, or that did not reach the phone'),
    withdrawn: count.describe(
      'Offers that ended for another reason: the caller hung up, or a colleague answered first',
    ),
    signed_in_seconds: count.describe('Time signed in to at least one queue, including pauses'),
    talk_seconds: count.describe('Time in calls of queues, including hold'),
    hold_seconds: count.describe('Part of `talk_seconds` during which the customer or the agent was on hold'),
    wrap_up_seconds: count,
    paused_seconds: count,
    pauses: z
      .array(z.strictObject({ reason: z.string().nullable(), count, seconds: count }))
      .describe('The pauses by their reason, longest first'),
  })
  .meta({ id: 'AgentStats' });

export function agentStatsRoutes({ stats }: { readonly stats: AgentStats }): Route[] {
  return [
    route({
      method: 'GET',
      tag: 'Agents',
      scope: 'queues:read',
      keyKind: 'any',
      path: '/v1/agents/:agent/stats',
      operationId: 'getAgentStats',
      ownRows: true,
      summary: 'Get statistics of an agent',
      summaryAr: 'إحصاءات موظف',
      description:
        'What the agent did from `from` (included) to `to` (excluded); without them, since the agent was created and until now. Offers count in the ' +
        'period in which they began; of everything that takes time, the part inside the period counts. Calls outside queues do not count. The sandbox has no calls of queues: a sandbox key sees zeros.',
      // Any text: an unknown agent answers 404.
      params: z.strictObject({ agent: z.string() }),
      query: z.strictObject({ from: timeInput().optional(), to: timeInput().optional() }).refine(...fromBeforeTo),
      responses: { 200: { schema: statsObject, description: 'The statistics' } },
      errors: ['NOT_FOUND', 'QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'],
      handler: async ({ caller, params, query }) => {
        const period = { from: query.from ?? null, to: query.to ?? null };
        assertVisible(caller, params.agent);
        const found = await stats.of(caller.projectId, params.agent, period);
        const { pauses, ...rest } = caller.sandbox ? agentStatsInSandbox(found) : found;
        return { status: 200, body: { ...rest, pauses: [...pauses] } };
      },
    }),
  ];
}
