import { z } from 'zod';
import { defineEvent } from './definition.js';

/** The event that webhooks themselves need. */
export const WEBHOOK_EVENTS = {
  'webhook.verify': defineEvent({
    subject: 'project',
    summary: 'A receiver is asked to prove that it wants events: it answers with the challenge.',
    summaryAr: 'يُطلب من نقطة Webhook إثبات رغبتها في استقبال الأحداث: تُرجع القيمة `challenge`.',
    own: {
      challenge: z.string(),
      test: z.literal(true).optional().describe('The request came from `POST /v1/webhooks/{id}/test`'),
    },
    example: { challenge: 'cGxlYXNlIHNlbmQgdGhpcyBiYWNr' },
  }),
};
