import { z } from 'zod';
import type { TakeNotices } from '../../../core/services/messaging/notices.js';
import { route, type Route } from '../../http/route.js';

export interface NoticeRoutesServices {
  readonly notices: TakeNotices;
}

/** What providers of messages report on their own. */
export function noticeRoutes({ notices }: NoticeRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/messages/providers/:provider/notices',
      operationId: 'takeMessageNotice',
      summary: 'Receive a notice of a messaging provider',
      summaryAr: 'لمزوّدي خدمة الرسائل: إشعار',
      description:
        'Not for clients. `email`: a delivery status notification (RFC 3464) or a complaint (RFC 5965), the whole mail as it came, signed as Standard Webhooks lays it out (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with `MESSAGE_NOTICE_SECRET`. A repeated notice changes nothing.',
      tag: 'Messages',
      scope: null,
      keyKind: 'none',
      flag: 'messages',
      readsRaw: true,
      params: z.strictObject({ provider: z.string() }),
      body: z.looseObject({}).describe('In the form of the provider'),
      responses: { 204: { schema: null, description: 'Received' } },
      errors: ['NOT_FOUND', 'WEBHOOK_UNAUTHORIZED', 'WEBHOOK_PAYLOAD_INVALID'],
      handler: async ({ params: { provider }, raw }) => {
        await notices.take(provider, { headers: raw?.headers ?? {}, body: raw?.body ?? Buffer.alloc(0) });
        return { status: 204 };
      },
    }),
  ];
}
