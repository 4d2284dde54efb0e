import type { HangupCause } from '../model/call/hangup-cause.js';

/** What the engine itself recorded about a leg, even while the application was down. */
export interface LegDetail {
  readonly answeredAt: Date | null;
  /** Null while the leg is live, and for good if the engine died before it recorded the end. */
  readonly end: { readonly at: Date; readonly cause: HangupCause } | null;
}

/** The engine's own record of its legs (call detail, channel event log). */
export interface CallDetail {
  /**
   * Returns what the engine recorded about these legs, by leg id. A leg missing from the map never
   * reached the engine. If the record may be incomplete, the leg is present with nulls. Returns
   * null if there is no record or it cannot be read.
   */
  of(
    legs: readonly { readonly id: string; readonly created_at: Date }[],
  ): Promise<ReadonlyMap<string, LegDetail> | null>;
}

/** An engine that keeps no record. */
export const NO_DETAIL: CallDetail = { of: () => Promise.resolve(null) };
