import { EVENT_TYPES, type EventFamily, type EventType } from './index.js';
import type { Permission } from '../access/roles.js';

const OF_FAMILY: Readonly<Record<EventFamily, Permission>> = {
  call: 'calls:read',
  web_calling: 'calls:read',
  conference: 'calls:read',
  queue: 'queues:read',
  agent: 'queues:read',
  voice_auth: 'voice_auth:read',
  verify: 'verify:read',
  voicemail: 'voicemail:read',
  message: 'messages:read',
  chat: 'messages:read',
  broadcast: 'broadcasts:read',
  contact: 'contacts:read',
  template: 'messages:read',
  number: 'numbers:read',
  webhook: 'webhooks:read',
  usage: 'usage:read',
  payment: 'billing:read',
  invoice: 'billing:read',
  credit_note: 'billing:read',
  fraud: 'billing:read',
};

/** Events that say more than their family. */
const OF_TYPE: Partial<Record<EventType, Permission>> = {
  'call.recording_ready': 'recordings:read',
  'call.transcribed': 'recordings:read',
  'conference.recording_ready': 'recordings:read',
};

/** The events that a member with these permissions may see. */
export function eventTypesFor(permissions: ReadonlySet<Permission>): ReadonlySet<EventType> {
  return new Set(EVENT_TYPES.filter((type) => permissions.has(permissionFor(type))));
}

function permissionFor(type: EventType): Permission {
  return OF_TYPE[type] ?? OF_FAMILY[type.slice(0, type.indexOf('.')) as EventFamily];
}
