import type { z } from 'zod';
import type { CallStatus } from '../call/call.js';
import { AGENT_EVENTS } from './agents.js';
import { BILLING_EVENTS } from './billing.js';
import { CALL_EVENTS } from './calls.js';
import { CHAT_EVENTS } from './chats.js';
import { CONFERENCE_EVENTS } from './conferences.js';
import { BROADCAST_EVENTS } from './broadcasts.js';
import { CONTACT_EVENTS } from './contacts.js';
import { dataSchema, type EventDefinition } from './definition.js';
import { FRAUD_EVENTS } from './fraud.js';
import { MESSAGE_EVENTS } from './messages.js';
import { NUMBER_EVENTS } from './numbers.js';
import { QUEUE_EVENTS } from './queues.js';
import { TEMPLATE_EVENTS } from './templates.js';
import { VERIFICATION_EVENTS } from './verification.js';
import { VOICEMAIL_EVENTS } from './voicemail.js';
import { WEB_CALLING_EVENTS } from './web-calling.js';
import { WEBHOOK_EVENTS } from './webhooks.js';

/** Every event that a webhook can carry, by its type. A new event is declared in the file of its family. */
export const EVENTS = {
  ...CALL_EVENTS,
  ...CONFERENCE_EVENTS,
  ...QUEUE_EVENTS,
  ...AGENT_EVENTS,
  ...VERIFICATION_EVENTS,
  ...VOICEMAIL_EVENTS,
  ...MESSAGE_EVENTS,
  ...CHAT_EVENTS,
  ...BROADCAST_EVENTS,
  ...CONTACT_EVENTS,
  ...TEMPLATE_EVENTS,
  ...WEB_CALLING_EVENTS,
  ...NUMBER_EVENTS,
  ...WEBHOOK_EVENTS,
  ...BILLING_EVENTS,
  ...FRAUD_EVENTS,
};

export type EventType = keyof typeof EVENTS;

/** The members specific to this event type, without those of its subject. */
export type EventData<T extends EventType> = z.input<z.ZodObject<(typeof EVENTS)[T]['own']>>;

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** Types that subscriptions may name although this release emits none of them. */
export const RESERVED_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => definitionOf(type).reserved);

type FamilyOf<T extends string> = T extends `${infer Family}.${string}` ? Family : never;
export type EventFamily = FamilyOf<EventType>;

/** What an endpoint subscribes to: one event, a whole family (`call.*`), or everything (`*`). */
export type EventPattern = EventType | `${EventFamily}.*` | '*';

/** The families in the order of the list above: `call`, `conference`, … */
export const EVENT_FAMILIES: readonly EventFamily[] = [...new Set(EVENT_TYPES.map(familyOf))];

/** Every pattern that a subscription may name. */
export const EVENT_PATTERNS: readonly EventPattern[] = [
  '*',
  ...EVENT_FAMILIES.map((family): EventPattern => `${family}.*`),
  ...EVENT_TYPES,
];

const types: ReadonlySet<string> = new Set(EVENT_TYPES);
const patterns: ReadonlySet<string> = new Set(EVENT_PATTERNS);

export function isEventType(text: string): text is EventType {
  return types.has(text);
}

export function isEventPattern(text: string): text is EventPattern {
  return patterns.has(text);
}

/** Whether a subscription to the pattern receives events of the type. */
export function matchesEvent(pattern: EventPattern, type: EventType): boolean {
  return pattern === '*' || pattern === type || pattern === `${familyOf(type)}.*`;
}

/** The event that reports a call's arrival in a status. */
export function eventOfStatus<S extends CallStatus>(status: S): `call.${S}` {
  return `call.${status}`;
}

export function definitionOf(type: EventType): EventDefinition {
  return EVENTS[type];
}

/** The schema of the `data` that a webhook of this type carries. */
export function eventDataSchema(type: EventType): z.ZodObject {
  return dataSchema(definitionOf(type));
}

function familyOf(type: EventType): EventFamily {
  return type.slice(0, type.indexOf('.')) as EventFamily;
}
