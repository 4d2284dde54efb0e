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

/**
 * Where a visitor is. `online`: the page is looked at. `away`: it is open behind others. `gone`: no page is connected.
 */
export const VISITOR_STATES = ['online', 'away', 'gone'] as const;
export type VisitorState = (typeof VISITOR_STATES)[number];

/** The steps of a call that an agent proposes to a visitor. */
export const CALL_STEPS = ['proposed', 'accepted', 'declined'] as const;
export type CallStep = (typeof CALL_STEPS)[number];

/** An agent whose pages are closed for this long has left: somebody else answers the visitors. */
export const AGENT_AWAY_MS = 120_000;

const DAY_MS = 86_400_000;
/** How long a visitor who stays away finds the chat again, and messages wait for the visitor. */
export const CHAT_KEPT_MS = 30 * DAY_MS;
