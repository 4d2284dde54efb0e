import { defineEvent } from './definition.js';

/** Events of messages (SMS, chat, e-mail). Subscriptions may name them; this release does not emit them. */
const reserved = (summary: string, summaryAr: string) =>
  defineEvent({ subject: 'project', summary, summaryAr, own: {}, example: {}, reserved: true });

export const MESSAGE_EVENTS = {
  'message.queued': reserved('A message was accepted.', 'قُبلت رسالة للإرسال.'),
  'message.sent': reserved('A message was handed to its channel.', 'سُلّمت الرسالة إلى قناة الإرسال.'),
  'message.delivered': reserved('A message reached its recipient.', 'وصلت الرسالة إلى مستلمها.'),
  'message.read': reserved('A message was read.', 'قُرئت الرسالة.'),
  'message.failed': reserved('A message could not be delivered.', 'تعذّر تسليم الرسالة.'),
  'message.received': reserved('A message came in.', 'وردت رسالة.'),
};
