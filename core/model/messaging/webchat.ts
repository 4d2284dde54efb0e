/**
 * Where a chat is. `new`: the visitor has not written. `waiting`: nobody answers yet. `offered`: to one agent, for a while.
 * `assigned`: an agent has it. `closed`: it is over until the visitor writes again.
 */
export const CHAT_STATUSES = ['new', 'waiting', 'offered', 'assigned', 'closed'] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];

/** Hatif itself is the provider of the channel. */
export const WEBCHAT_PROVIDER = 'webchat';

/** The longest text that a visitor can write. */
export const CHAT_TEXT_CHARACTERS = 4_096;

/** How a visitor's page names what it sends: unique in its chat, so that a repeat is not stored again. */
export const CHAT_CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;

const DAY_MS = 86_400_000;
/** How long a visitor who stays away finds the chat again, and messages wait for the visitor. */
export const CHAT_KEPT_MS = 30 * DAY_MS;
