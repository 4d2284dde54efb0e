import { z } from 'zod';
import { idOutput } from '../../../core/model/objects/fields.js';
import { FEEDBACK_ISSUES } from '../../../core/model/web-calling.js';
import type { WebFeedback } from '../../../core/services/web-calling/feedback.js';
import { route, type Route } from '../../http/route.js';
import { accountFields, auditNote, BROWSER_ERRORS, BROWSER_ROUTE } from './browser-route.js';

const measured = z.number().min(0).max(100_000).nullable().default(null);

const body = z.strictObject({
  ...accountFields,
  score: z.int().min(1).max(5).describe('1 is bad, 5 is excellent'),
  issue: z.enum(FEEDBACK_ISSUES).nullable().default(null),
  comment: z.string().trim().min(1).max(1_000).nullable().default(null),
  seconds_since_start: z.int().min(0).max(86_400).describe('How long ago the call began: it names the call'),
  mos: measured,
  round_trip_ms: measured,
  jitter_ms: measured,
  loss_percent: measured,
});

/** What people at browsers say of their calls. */
export function webFeedbackRoutes({ feedback }: { readonly feedback: WebFeedback }): Route[] {
  return [
    route({
      ...BROWSER_ROUTE,
      path: '/v1/web-calling/feedback',
      operationId: 'sendWebCallingFeedback',
      summary: 'Send feedback on a call',
      summaryAr: 'إرسال تقييم لمكالمة',
      description:
        'For the browser, without a key: its SIP account shows who it is. The project gets the event `web_calling.feedback`. A session sends ' +
        'at most 60 in an hour.',
      flag: 'web_calling',
      body,
      responses: {
        201: {
          schema: z
            .strictObject({
              call_id: idOutput.nullable().describe('The call; null if no call of this browser is known'),
            })
            .meta({ id: 'WebCallingFeedback' }),
          description: 'Reported',
        },
      },
      errors: [...BROWSER_ERRORS],
      handler: async ({ body: { username, password, ...said }, origin, note }) => {
        const callId = await feedback.take({ username, password, origin }, said, ({ session }) =>
          note(auditNote(session)),
        );
        return { status: 201, body: { call_id: callId } };
      },
    }),
  ];
}
