import type { Destination } from './destinations.js';

/**
 * - `blind`: the customer is connected to the target as soon as it answers
 * - `attended`: the transferring agent talks to the target first
 */
export const TRANSFER_TYPES = ['blind', 'attended'] as const;
export type TransferType = (typeof TRANSFER_TYPES)[number];

/** The last three are final. */
export const TRANSFER_STATUSES = ['initiated', 'ringing', 'consulting', 'completed', 'failed', 'cancelled'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** How many times one call may be transferred. */
export const MAX_TRANSFERS = 5;

/** Targets that a live call can be transferred to. The target of a queue or call flow is its id. */
export const TRANSFER_TARGETS = ['number', 'agent', 'sip', 'queue', 'callflow'] as const;

/** Checked and normalised like any destination. */
export interface TransferTarget {
  readonly type: (typeof TRANSFER_TARGETS)[number];
  readonly target: string;
}

export function isTransferTarget(to: Destination): to is TransferTarget {
  return (TRANSFER_TARGETS as readonly string[]).includes(to.type);
}
