import { z } from 'zod';
import type { Colleagues } from '../../../core/services/agents/colleagues.js';
import { route, type Route } from '../../http/route.js';
import { queryInt } from '../../http/schema/schemas.js';

const MOST = 50;

const colleague = z
  .strictObject({
    agent: z.string().describe('The extension'),
    display_name: z.string(),
    is_reachable: z
      .boolean()
      .describe('Whether a call would ring: a softphone or a browser of the agent is registered'),
  })
  .meta({ id: 'Colleague' });

/** For people who transfer calls. */
export function colleagueRoutes({ colleagues }: { readonly colleagues: Colleagues }): Route[] {
  return [
    route({
      method: 'GET',
      tag: 'Agents',
      scope: 'queues:read',
      keyKind: 'any',
      path: '/v1/colleagues',
      operationId: 'searchColleagues',
      // Everybody who may transfer a call to a colleague may look for one.
      ownRows: true,
      summary: 'Search colleagues',
      summaryAr: 'البحث عن الزملاء',
      description:
        'The agents of the project by name or extension, for a transfer; members with the role `agent` see all of them here, too, and nothing else of them. ' +
        'Each word of `search` must begin a word of the name or the extension, without regard to case, accents, vowel marks and the forms of alef, ya and ta marbuta. ' +
        'A sandbox key sees neither names nor registrations.',
      query: z.strictObject({
        search: z.string().trim().min(1).max(64).optional().describe('Without it: the first agents'),
        limit: queryInt(1, MOST).default(20),
      }),
      responses: {
        200: { schema: z.strictObject({ data: z.array(colleague) }), description: 'The agents, by extension' },
      },
      errors: [],
      handler: async ({ caller, query }) => {
        const { search = null, limit } = query;
        const found = await colleagues.search(caller.projectId, { text: search, byName: !caller.sandbox }, limit);
        const shown = caller.sandbox
          ? found.map(({ agent }) => ({ agent, display_name: agent, is_reachable: false }))
          : found;
        return { status: 200, body: { data: [...shown] } };
      },
    }),
  ];
}
