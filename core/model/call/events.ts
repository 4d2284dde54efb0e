import type { CallStatus } from './call.js';

/** Every event that a webhook can carry. */
export const EVENT_TYPES = [
  'call.initiated',
  'call.ringing',
  'call.answered',
  'call.ended',
  'call.missed',
  'call.failed',
  'call.timeout',
  'call.cancelled',
  'call.held',
  'call.resumed',
  'call.muted',
  'call.unmuted',
  'call.transferred',
  'call.input',
  'call.dtmf',
  'call.recording_ready',
  'call.transcribed',
  'conference.created',
  'conference.participant_joined',
  'conference.participant_left',
  'conference.ended',
  'conference.recording_ready',
  'queue.entered',
  'queue.left',
  'queue.agent_logged_in',
  'queue.agent_logged_out',
  'voice_auth.completed',
  'verify.completed',
  'voicemail.received',
  'voicemail.transcribed',
  'message.queued',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.received',
  'number.assigned',
  'number.released',
  'webhook.verify',
  'usage.threshold',
  'payment.succeeded',
  'payment.failed',
  'invoice.issued',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

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

/** The event that reports a call's change to a status. */
export function eventOfStatus(status: CallStatus): EventType {
  return `call.${status}`;
}

function familyOf(type: EventType): EventFamily {
  return type.slice(0, type.indexOf('.')) as EventFamily;
}
