import { z } from 'zod';
import { timeOutput } from '../objects/fields.js';
import { eventedMessage, messageExtra } from '../objects/message.js';
import { defineEvent } from './definition.js';

const QUEUED = {
  message_id: '01934f7a-6f70-7182-9d34-2e1f0a9b8c73',
  channel: 'sms',
  direction: 'outbound',
  to: '+966501234517',
  from: 'HATIF',
  status: 'queued',
  class: 'service',
  template: { name: 'order_shipped', language: 'ar' },
  segments: 1,
  error: null,
  thread_id: '01934f7a-6f70-7182-9d34-2e1f0a9b8c74',
  broadcast_id: null,
  sandbox: false,
  metadata: { order: '4711' },
  created_at: '2026-01-31T06:00:00.000Z',
  scheduled_at: null,
  valid_until: '2026-02-02T06:00:00.000Z',
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
} as const;
const SENT = { ...QUEUED, status: 'sent', sent_at: '2026-01-31T06:00:00.412Z' } as const;
const DELIVERED = { ...SENT, status: 'delivered', delivered_at: '2026-01-31T06:00:04.120Z' } as const;

const own = eventedMessage.shape;

/** Events of messages. The order of two events of one message is that of their times. */
export const MESSAGE_EVENTS = {
  'message.queued': defineEvent({
    subject: 'project',
    summary: 'A message was accepted.',
    summaryAr: 'قُبلت رسالة للإرسال.',
    own,
    example: QUEUED,
  }),
  'message.sent': defineEvent({
    subject: 'project',
    summary: 'The provider of the channel took a message.',
    summaryAr: 'تسلّم مزوّد القناة رسالة.',
    own,
    example: SENT,
  }),
  'message.delivered': defineEvent({
    subject: 'project',
    summary: 'A message reached its recipient.',
    summaryAr: 'وصلت الرسالة إلى مستلمها.',
    own,
    example: DELIVERED,
  }),
  'message.read': defineEvent({
    subject: 'project',
    summary: 'A message was read.',
    summaryAr: 'قُرئت الرسالة.',
    own,
    example: { ...DELIVERED, status: 'read', read_at: '2026-01-31T06:01:00.000Z' },
  }),
  'message.failed': defineEvent({
    subject: 'project',
    summary: 'A message could not be delivered.',
    summaryAr: 'تعذّر تسليم الرسالة.',
    own,
    example: {
      ...SENT,
      status: 'failed',
      error: { reason: 'unreachable', provider_code: '0001' },
      failed_at: '2026-02-01T06:00:00.000Z',
    },
  }),
  'message.link_clicked': defineEvent({
    subject: 'project',
    summary: 'A person followed a tracked link of a message for the first time.',
    summaryAr: 'فتح شخص رابطًا متتبَّعًا في رسالة لأول مرة.',
    own: { ...own, link: z.strictObject({ url: z.string(), clicked_at: timeOutput }) },
    example: {
      ...DELIVERED,
      link: { url: 'https://shop.example.com/orders/4711', clicked_at: '2026-01-31T06:05:11.000Z' },
    },
  }),
  'message.received': defineEvent({
    subject: 'project',
    summary: 'A message came in.',
    summaryAr: 'وردت رسالة.',
    own: { ...own, text: z.string(), content: messageExtra.nullable() },
    example: {
      ...QUEUED,
      ...{ direction: 'inbound', to: 'HATIF', from: '+966501234517', status: 'received', class: null, template: null },
      ...{ metadata: {}, valid_until: null, text: 'شكرًا، وصل الطلب.', content: null },
    },
  }),
};
