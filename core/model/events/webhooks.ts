import { z } from 'zod';
import { defineEvent } from './definition.js';

/** The event that verifies a webhook endpoint. */
export const WEBHOOK_EVENTS = {
  'webhook.verify': defineEvent({
    subject: 'project',
    summary: 'Asks a receiver to confirm that it wants events by returning the challenge.',
    summaryAr: 'يُطلب من نقطة Webhook إثبات رغبتها في استقبال الأحداث: تُرجع القيمة `challenge`.',
    own: {
      challenge: z.string(),
      test: z.literal(true).optional().describe('The request came from `POST /v1/webhooks/{id}/test`'),
    },
    example: { challenge: 'cGxlYXNlIHNlbmQgdGhpcyBiYWNr' },
  }),
};
