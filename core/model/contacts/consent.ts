/** Channels on which a contact can be written to by its number or its address. */
export const CONSENT_CHANNELS = ['sms', 'chatapp', 'email'] as const;
export type ConsentChannel = (typeof CONSENT_CHANNELS)[number];

/** Classes of messages that people can opt out of: what a customer waits for (`service`) needs no consent. */
export const CONSENT_CLASSES = ['promotional', 'awareness', 'personal'] as const;
export type ConsentClass = (typeof CONSENT_CLASSES)[number];

export const CONSENT_STATUSES = ['opted_in', 'opted_out'] as const;
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

/** How an organization got to know the wish of a person. */
export const TENANT_SOURCES = ['api', 'import', 'web_form', 'paper', 'phone_call'] as const;
/** How people say it themselves, to the platform. */
export const END_USER_SOURCES = ['keyword', 'link', 'complaint'] as const;
export type EndUserSource = (typeof END_USER_SOURCES)[number];
export const CONSENT_SOURCES = [...TENANT_SOURCES, ...END_USER_SOURCES] as const;
export type ConsentSource = (typeof CONSENT_SOURCES)[number];

/** Whether the person said it to the platform: nobody else undoes such an opt-out. */
export function isOfEndUser(source: ConsentSource): boolean {
  return END_USER_SOURCES.some((own) => own === source);
}

interface Addresses {
  readonly phone: string | null;
  readonly email: string | null;
}

/** Where a channel reaches the contact; null: it does not. */
export function addressOn(channel: ConsentChannel, { phone, email }: Addresses): string | null {
  return channel === 'email' ? email : phone;
}

/** The channels that reach the contact. */
export function channelsOf(contact: Addresses): readonly ConsentChannel[] {
  return CONSENT_CHANNELS.filter((channel) => addressOn(channel, contact) !== null);
}
