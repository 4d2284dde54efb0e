import type { ConsentChannel } from '../../model/contacts/consent.js';
import type { Channel } from '../../model/messaging/channels.js';

/** The channel by whose addresses a broadcast reaches people. Conversations in the browser have no broadcasts. */
export function consentChannelOf(channel: Channel): ConsentChannel {
  return channel === 'webchat' ? 'sms' : channel;
}
