import { z } from 'zod';
import type { TakeNotices } from '../../../core/services/messaging/notices.js';
import { route, type Route } from '../../http/route.js';

export interface NoticeRoutesServices {
  readonly notices: TakeNotices;
}

const TEXT = 'text/plain; charset=utf-8';
/** What WhatsApp sends at most. */
const MAX_BYTES = 3 * 1024 * 1024;

/** What providers of messages report on their own. */
export function noticeRoutes({ notices }: NoticeRoutesServices): Route[] {
  const path = '/v1/messages/providers/:provider/notices';
  const common = { path, tag: 'Messages', scope: null, keyKind: 'none', flag: 'messages' } as const;
  const params = z.strictObject({ provider: z.string() });
  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'confirmMessageNotices',
      summary: 'Confirm the address for notices of a messaging provider',
      summaryAr: 'لمزوّدي خدمة الرسائل: تأكيد عنوان الإشعارات',
      description:
        'Not for clients. `chatapp`: WhatsApp asks once, with `hub.mode=subscribe`, the `hub.verify_token` of a number, and a `hub.challenge` that the answer repeats.',
      params,
      takesAnyQuery: true,
      query: z.looseObject({
        'hub.mode': z.string().optional(),
        'hub.verify_token': z.string().optional(),
        'hub.challenge': z.string().optional(),
      }),
      responses: {
        200: { schema: z.string(), contentType: TEXT, description: 'The challenge', example: '1158201444' },
      },
      errors: ['NOT_FOUND', 'WEBHOOK_UNAUTHORIZED', 'WEBHOOK_PAYLOAD_INVALID'],
      handler: ({ params: { provider }, query }) => {
        const handshake = {
          ...{ mode: query['hub.mode'] ?? '', token: query['hub.verify_token'] ?? '' },
          challenge: query['hub.challenge'] ?? '',
        };
        return { status: 200, raw: notices.confirm(provider, handshake), contentType: TEXT };
      },
    }),
    route({
      ...common,
      method: 'POST',
      operationId: 'takeMessageNotice',
      summary: 'Receive a notice of a messaging provider',
      summaryAr: 'لمزوّدي خدمة الرسائل: إشعار',
      description:
        'Not for clients. `email`: a delivery status notification (RFC 3464) or a complaint (RFC 5965), the whole mail as it came, signed as Standard Webhooks lays it out (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with `MESSAGE_NOTICE_SECRET`. `chatapp`: statuses, messages and decisions about templates of WhatsApp, signed with the secret of the application (`X-Hub-Signature-256`). A repeated notice changes nothing.',
      readsRaw: true,
      maxBodyBytes: MAX_BYTES,
      params,
      body: z.looseObject({}).describe('In the form of the provider'),
      responses: { 204: { schema: null, description: 'Received' } },
      errors: ['NOT_FOUND', 'WEBHOOK_UNAUTHORIZED', 'WEBHOOK_PAYLOAD_INVALID', 'INTERNAL_ERROR'],
      handler: async ({ params: { provider }, raw }) => {
        await notices.take(provider, { headers: raw?.headers ?? {}, body: raw?.body ?? Buffer.alloc(0) });
        return { status: 204 };
      },
    }),
  ];
}
