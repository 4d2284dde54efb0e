import { HatifError, type ErrorCode } from './errors/index.js';

/**
 * The features that an environment or an organization can disable, each with the error code that
 * its routes return while it is disabled. A feature with NOT_FOUND looks as if its routes did not
 * exist.
 */
export const FLAG_OFF_CODES = {
  voice_auth: 'VOICE_AUTH_DISABLED',
  verify: 'VERIFY_DISABLED',
  voicemail: 'VOICEMAIL_DISABLED',
  callflows: 'IVR_DISABLED',
  graph_callflows: 'IVR_DISABLED',
  messages: 'MESSAGES_DISABLED',
  virtual_numbers: 'NOT_FOUND',
  in_call_control: 'CALL_CONTROL_DISABLED',
  agent_leg_control: 'CALL_CONTROL_DISABLED',
  transfer: 'CALL_CONTROL_DISABLED',
  conferencing: 'CALL_CONTROL_DISABLED',
  web_calling: 'WEB_CALLING_DISABLED',
  dlq_replay: 'DLQ_REPLAY_DISABLED',
  widget: 'NOT_FOUND',
} as const satisfies Record<string, ErrorCode>;

/** A flag that routes can depend on. */
export type FlagName = keyof typeof FLAG_OFF_CODES;

/** A flag that enables a limit; it closes no route. */
export type LimitFlagName = 'call_velocity';

/** A channel that an organization has only if it is enabled for it; it closes no route by itself. */
export type ChannelFlagName = 'chatapp';

/** Every flag, with its default. */
export const FLAG_DEFAULTS: Readonly<Record<FlagName | LimitFlagName | ChannelFlagName, boolean>> = {
  voice_auth: true,
  verify: true,
  voicemail: true,
  callflows: true,
  graph_callflows: true,
  messages: true,
  chatapp: false,
  virtual_numbers: true,
  in_call_control: true,
  agent_leg_control: true,
  transfer: true,
  conferencing: true,
  call_velocity: false,
  web_calling: true,
  dlq_replay: true,
  widget: true,
};

/**
 * What a new organization gets of its own, so that its projects start with the safer choice; the
 * organizations that exist keep what they have.
 */
export const NEW_ORGANIZATION_FLAGS: Readonly<Record<LimitFlagName, boolean>> = {
  call_velocity: true,
};

/**
 * The error of a route whose flag is off. `route` is reported as not found, as for an unknown
 * route: `POST /v1/…`.
 */
export function flagOff(flag: FlagName, route: string): HatifError {
  const code = FLAG_OFF_CODES[flag];
  return code === 'NOT_FOUND' ? new HatifError(code, { what: route }) : new HatifError(code);
}

/** A feature of an organization. */
export interface Feature {
  readonly flag: string;
  /** What applies. */
  readonly on: boolean;
  /** Set for the organization; null: as in the environment. */
  readonly organization: boolean | null;
  readonly environment: boolean;
}

/** Every feature of the environment, with what an organization has of its own. */
export function featuresOf(
  environment: Readonly<Record<string, boolean>>,
  own: Readonly<Record<string, boolean>>,
): Feature[] {
  return Object.entries(environment).map(([flag, usual]) => {
    const set = own[flag] ?? null;
    return { flag, on: set ?? usual, organization: set, environment: usual };
  });
}
