/** A way to exchange messages with people. `chatapp` is the chat application of a provider, such as WhatsApp. */
export const CHANNELS = ['chatapp', 'sms', 'webchat', 'email'] as const;
export type Channel = (typeof CHANNELS)[number];

/** What a channel may be able to do. */
export type ChannelVerb =
  'send' | 'receive' | 'templates' | 'broadcast' | 'files' | 'interactive' | 'reactions' | 'read_receipts';

const TEXTS: readonly ChannelVerb[] = ['send', 'receive', 'templates', 'broadcast'];

const VERBS: Readonly<Record<Channel, ReadonlySet<ChannelVerb>>> = {
  chatapp: new Set([...TEXTS, 'files', 'interactive', 'reactions', 'read_receipts']),
  sms: new Set(TEXTS),
  email: new Set([...TEXTS, 'files']),
  webchat: new Set(['send', 'receive', 'files', 'read_receipts']),
};

/** Whether the channel is able to do this, whatever its provider. */
export function supports(channel: Channel, verb: ChannelVerb): boolean {
  return VERBS[channel].has(verb);
}

/** Whether a provider reviews the templates of the channel; otherwise Hatif itself approves them. */
export function isReviewedByProvider(channel: Channel): boolean {
  return channel === 'chatapp';
}
