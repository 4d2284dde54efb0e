import type { Settings } from '../../../config/settings.js';
import {
  DEFAULT_MESSAGE_HOURS,
  parseMessageHours,
  type MessageHours,
} from '../../../core/model/contacts/message-hours.js';

/**
 * The hours of messages: the default, and what the operator set, which counts more.
 * @throws Error if the setting is wrong: the process does not start
 */
export function messageHours({ MESSAGE_HOURS }: Pick<Settings, 'MESSAGE_HOURS'>): readonly MessageHours[] {
  try {
    return [...DEFAULT_MESSAGE_HOURS, ...parseMessageHours(MESSAGE_HOURS)];
  } catch (error) {
    throw new Error(`MESSAGE_HOURS: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
