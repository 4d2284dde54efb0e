import { z } from 'zod';
import type { BrowserPages } from '../../../core/services/web-calling/pages.js';
import { route, type Route } from '../../http/route.js';
import { accountFields, auditNote, BROWSER_ERRORS, BROWSER_ROUTE } from './browser-route.js';

const body = z.strictObject({
  ...accountFields,
  seconds_since_load: z
    .number()
    .min(0)
    .max(86_400)
    .describe('How long ago the page was loaded: calls that began earlier are of the page before'),
});

/** How a page that was loaded again gets its calls back. */
export function webResumeRoutes({ pages }: { readonly pages: Pick<BrowserPages, 'back'> }): Route[] {
  return [
    route({
      ...BROWSER_ROUTE,
      path: '/v1/web-calling/resume',
      operationId: 'resumeWebCalling',
      summary: 'Resume the calls of a page',
      summaryAr: 'استئناف مكالمات صفحة أُعيد تحميلها',
      description:
        'For the browser, without a key: its SIP account shows who it is. After the page was loaded again and the browser is registered, ' +
        'the calls of the page before ring the browser: their INVITE has the header `X-Hatif-Resumed`, with the number of seconds since the ' +
        'call was first connected. The other party hears music meanwhile, for 30 seconds at most.',
      flag: 'web_calling',
      body,
      responses: {
        200: {
          schema: z
            .strictObject({ calls: z.int().min(0).describe('How many calls ring the browser') })
            .meta({ id: 'ResumedWebCalls' }),
          description: 'The calls ring the browser',
        },
      },
      errors: [...BROWSER_ERRORS],
      handler: async ({ body: { username, password, seconds_since_load: seconds }, origin, note }) => {
        const calls = await pages.back({ username, password, origin }, seconds, ({ session }) =>
          note(auditNote(session)),
        );
        return { status: 200, body: { calls } };
      },
    }),
  ];
}
