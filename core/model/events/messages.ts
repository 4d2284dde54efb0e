import { defineEvent } from './definition.js';

/** Events of messages (SMS, chat, e-mail). Subscriptions may name them; this release does not emit them. */
const reserved = (summary: string) =>
  defineEvent({ subject: 'project', summary, own: {}, example: {}, reserved: true });

export const MESSAGE_EVENTS = {
  'message.queued': reserved('A message was accepted.'),
  'message.sent': reserved('A message was handed to its channel.'),
  'message.delivered': reserved('A message reached its recipient.'),
  'message.read': reserved('A message was read.'),
  'message.failed': reserved('A message could not be delivered.'),
  'message.received': reserved('A message came in.'),
};
