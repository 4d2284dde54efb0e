import type { FlagName } from '../flags.js';
import { matchesEvent, type EventPattern, type EventType } from './index.js';

/** The features that cause events: while one is off, its events do not happen. */
const FEATURES: readonly (readonly [EventPattern, FlagName])[] = [
  ['call.input', 'callflows'],
  ['conference.*', 'conferencing'],
  ['verify.*', 'verify'],
  ['voice_auth.*', 'voice_auth'],
  ['voicemail.*', 'voicemail'],
  ['message.*', 'messages'],
  ['chat.*', 'messages'],
  ['contact.*', 'messages'],
  ['template.*', 'messages'],
];

/** The feature that must be on for the event to happen; null if none. */
export function featureOf(type: EventType): FlagName | null {
  return FEATURES.find(([pattern]) => matchesEvent(pattern, type))?.[1] ?? null;
}
