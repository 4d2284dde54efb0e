import type { ChannelFailure } from '../../../../core/ports/messaging/message-channel.js';
import type { FailureReason } from '../../../../core/model/messaging/failure.js';

/** Command statuses (SMPP 3.4 §5.1.3). */
export const OK = 0x00;
const QUEUE_FULL = 0x14;
const THROTTLED = 0x58;
/** The receiver of a deliver_sm has a fault that passes: the SMSC sends it again. */
export const TEMPORARY_FAULT = 0x64;

const REASONS = new Map<number, FailureReason>([
  [0x0a, 'sender_refused'], // invalid source address
  [0x0b, 'invalid_recipient'], // invalid destination address
  [0x0c, 'provider_fault'], // invalid message id
  [0x33, 'invalid_recipient'], // invalid number of destinations
  [0x40, 'invalid_recipient'], // invalid destination flag
  [0x42, 'content_refused'], // invalid esm_class
  [0x44, 'provider_account'], // cannot submit to a distribution list
  [0x45, 'provider_fault'], // submit_sm failed
  [0x48, 'sender_refused'], // invalid source type of number
  [0x49, 'sender_refused'],
  [0x50, 'invalid_recipient'], // invalid destination type of number
  [0x51, 'invalid_recipient'],
  [0x61, 'content_refused'], // invalid scheduled delivery time
  [0x62, 'content_refused'], // invalid validity period
  [0x01, 'content_refused'], // invalid message length
  [0xc3, 'content_refused'], // missing parameter
  [0x0d, 'provider_account'], // bind failed
  [0x0e, 'provider_account'], // invalid password
  [0xfe, 'provider_fault'], // delivery failure
]);

/** Whether the SMSC asks to slow down: it has not taken the message. */
export function isThrottled(status: number): boolean {
  return status === THROTTLED || status === QUEUE_FULL;
}

/** Why the SMSC refused a submission. */
export function refusalOf(status: number): ChannelFailure {
  return { reason: REASONS.get(status) ?? 'provider_fault', providerCode: `0x${status.toString(16).padStart(8, '0')}` };
}
