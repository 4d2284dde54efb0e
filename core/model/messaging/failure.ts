/** Why a message failed, whatever its channel and provider. */
export const FAILURE_REASONS = [
  /** The number or address does not exist. */
  'invalid_recipient',
  /** The recipient's telephone or mailbox could not be reached until the message expired. */
  'unreachable',
  /** It was not delivered before `valid_until`. */
  'expired',
  /** The recipient, or the carrier for the recipient, blocks such messages. */
  'blocked',
  'opted_out',
  /** The person has not written within the time in which the channel allows anything but templates. */
  'window_closed',
  /** The carrier does not accept the sender. */
  'sender_refused',
  /** The carrier does not accept the text. */
  'content_refused',
  /** The account at the provider may not send: credit, limits, permissions. */
  'provider_account',
  /** The provider failed. */
  'provider_fault',
  /** The message was submitted, and nobody knows the outcome. */
  'outcome_unknown',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];
