import type { VariableSource } from './variables.js';

/**
 * `draft → scheduled → running ⇄ paused → completed | cancelled`. A draft without a time is running as soon as it is
 * started, and a retry makes a completed one run again.
 */
export const BROADCAST_STATUSES = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'] as const;
export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number];

/** What has become of a recipient: from `queued` on, of the recipient's message. */
export const RECIPIENT_STATUSES = [
  ...(['waiting', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped', 'cancelled'] as const),
];
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

/** Why a recipient gets no message. */
export const SKIP_REASONS = [
  ...(['invalid_address', 'duplicate', 'no_address', 'missing_variable', 'text_too_long', 'opted_out'] as const),
  ...(['quiet_hours', 'destination', 'sandbox_destination', 'refused', 'erased'] as const),
];
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why the platform itself has paused or cancelled a broadcast. */
export const BROADCAST_PROBLEMS = [
  ...(['insufficient_credits', 'spend_cap', 'no_sender', 'channel', 'group_deleted', 'fault'] as const),
];
export type BroadcastProblem = (typeof BROADCAST_PROBLEMS)[number];

/** Variants are named by letters. */
export const MAX_VARIANTS = 5;
export const MAX_BROADCAST_NAME = 100;
export const MAX_RATE_PER_MINUTE = 60_000;
/** Broadcasts of one kind, live or sandbox, of a project that are neither completed nor cancelled. */
export const MAX_UNFINISHED_BROADCASTS = 100;

/** The texts of a template as they were when a broadcast began. */
export interface KeptTemplate {
  readonly body: string;
  readonly header: string | null;
  readonly footer: string | null;
}

/** One of the messages that a broadcast tries. */
export interface BroadcastVariant {
  readonly template: { readonly name: string; readonly language: string };
  readonly variables: readonly VariableSource[];
  /** Its share of the recipients, relative to the weights of the others. */
  readonly weight: number;
  /** Null until the broadcast is started. */
  readonly kept: KeptTemplate | null;
}

/** `A` for the first variant. */
export function variantKey(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

/**
 * Deals the recipients out: of any run of them, each variant gets its share, and the same number always the same one.
 * @param number the place of the recipient, from 1
 * @returns the index of the variant
 */
export function variantOf(weights: readonly number[], number: number): number {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  // The golden ratio spreads consecutive numbers evenly over the shares.
  const place = ((number * 0.618_033_988_749_895) % 1) * sum;
  let end = 0;
  const found = weights.findIndex((weight) => place < (end += weight));
  return found === -1 ? weights.length - 1 : found;
}
