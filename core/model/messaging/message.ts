import type { TemplateCategory } from './template.js';

export const MESSAGE_DIRECTIONS = ['outbound', 'inbound'] as const;
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

/** `received` is the only status of an inbound message. */
export const MESSAGE_STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed', 'cancelled', 'received'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * What a message is in the eyes of the law. `service` answers a request of the recipient or concerns a contract;
 * `promotional` advertises; `awareness` informs without advertising; `personal` is written by one person to another.
 */
export const MESSAGE_CLASSES = ['service', 'promotional', 'awareness', 'personal'] as const;
export type MessageClass = (typeof MESSAGE_CLASSES)[number];

const CLASS_OF: Readonly<Record<TemplateCategory, MessageClass>> = {
  MARKETING: 'promotional',
  UTILITY: 'service',
  AUTHENTICATION: 'service',
};

/** Whether messages of the class need a way to end them, beside what the channel has. */
export function isAdvertising(of: MessageClass): boolean {
  return of === 'promotional' || of === 'awareness';
}

/** The class of messages from a template. */
export function classOf(category: TemplateCategory): MessageClass {
  return CLASS_OF[category];
}
