import { z } from 'zod';
import { idOutput, timeOutput } from '../objects/fields.js';
import { defineEvent } from './definition.js';

/** Events about the webhook endpoints themselves. */
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
  'webhook.disabled': defineEvent({
    subject: 'project',
    summary: 'An endpoint was disabled because it failed for five days or answered 410. Sent to the other endpoints.',
    summaryAr: 'عُطّلت نقطة Webhook لأنها فشلت خمسة أيام أو أرجعت الحالة 410. يُرسل إلى نقاط Webhook الأخرى.',
    own: {
      webhook_id: idOutput,
      url: z.string(),
      reason: z.enum(['failing', 'gone']),
      failing_since: timeOutput.nullable().describe('The first failure since the last delivery that succeeded'),
      disabled_at: timeOutput,
    },
    example: {
      webhook_id: '01934f60-4d1e-7b90-8f22-6a0c5e7d9b1a',
      url: 'https://shop.example/hatif',
      reason: 'failing',
      failing_since: '2026-01-26T06:01:20.000Z',
      disabled_at: '2026-01-31T06:01:20.000Z',
    },
  }),
};
