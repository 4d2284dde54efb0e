import type { HangupCause } from '../model/hangup-cause.js';

/** What the engine itself noted of a leg, while the application was there or not. */
export interface LegDetail {
  readonly answeredAt: Date | null;
  /** Null while it lives, and for good when the engine died before it could note the end. */
  readonly end: { readonly at: Date; readonly cause: HangupCause } | null;
}

/** The engine's own record of its legs (call detail, channel event log). */
export interface CallDetail {
  /** What is noted of these legs; one of which nothing is known is not in the answer. Records that cannot be read know nothing. */
  of(legs: readonly { readonly id: string; readonly created_at: Date }[]): Promise<ReadonlyMap<string, LegDetail>>;
}

/** An engine that keeps no record. */
export const NO_DETAIL: CallDetail = { of: () => Promise.resolve(new Map()) };
